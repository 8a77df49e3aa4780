import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Breakable } from './breakable.tsx';

it.each([
  ['anna.berger@firma.beispiel.test', 'anna|.berger@|firma|.beispiel|.test'],
  ['Dr. Ada Lovelace', 'Dr. Ada Lovelace'],
])('Lets a mail address break at its joints, and no name: %s (§9)', (text, html) => {
  const { container } = render(<Breakable text={text} />);
  // Chromium reads one that is not hidden as a space, in the names of links and dialogs too.
  expect(container.innerHTML).toBe(html.replaceAll('|', '<wbr aria-hidden="true">'));
  expect(container.textContent).toBe(text);
});
