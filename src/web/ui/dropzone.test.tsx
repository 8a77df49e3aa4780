import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Dropzone } from './dropzone.tsx';

test('Offers to take files that are dragged over it, no text and no link (§2.10)', () => {
  const onFiles = vi.fn<() => void>();
  render(<Dropzone accept="image/*" hint="" onFiles={onFiles} />);
  const zone = screen.getByRole('button', { name: /^Dateien auswählen/ });
  fireEvent.dragOver(zone, { dataTransfer: { types: ['text/plain', 'text/uri-list'] } });
  expect(zone.textContent).toMatch(/^Dateien auswählen/);
  fireEvent.dragOver(zone, { dataTransfer: { types: ['Files'] } });
  expect(zone.textContent).toMatch(/^Hier ablegen/);
  const file = new File(['bild'], 'a.jpg');
  fireEvent.drop(zone, { dataTransfer: { types: ['Files'], files: [file] } });
  expect(onFiles).toHaveBeenCalledWith([file]);
  expect(zone.textContent).toMatch(/^Dateien auswählen/);
});
