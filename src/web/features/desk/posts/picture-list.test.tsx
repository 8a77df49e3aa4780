import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { POST_LIMITS } from '#contract/posts.ts';
import { PictureList } from './picture-list.tsx';

const uploads = ['Eins', 'Zwei', 'Drei'].map((name, at) => ({ id: at + 1, name, url: undefined }));
const picture = (upload: number, used = true) => ({ upload, alt: used ? 'Halle' : '', used });

function List({ start }: Readonly<{ start: readonly ReturnType<typeof picture>[] }>) {
  const [pictures, setPictures] = useState(start);
  return <PictureList uploads={uploads} pictures={pictures} readOnly={false} onChange={setPictures} />;
}

const order = (): readonly (string | null)[] =>
  screen.getAllByRole('checkbox').map((box) => box.getAttribute('aria-label'));
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

it('Keeps the focus on a picture that is moved to an end (WCAG 2.4.3, posts)', async () => {
  const user = userEvent.setup();
  render(<List start={[picture(1), picture(2), picture(3)]} />);
  const before = order();
  await user.click(button('Zwei nach hinten'));
  expect(order()).toEqual([before[0], before[2], before[1]]);
  await user.keyboard('{Enter}');
  expect(order()).toEqual([before[0], before[2], before[1]]);
  expect(document.activeElement).toBe(button('Zwei nach hinten'));
});

it('Offers no move that would change nothing: unused pictures have no order among themselves (posts)', async () => {
  const user = userEvent.setup();
  render(<List start={[picture(1)]} />);
  expect(button('Zwei nach hinten').ariaDisabled).toBe('true');
  expect(button('Drei nach vorn').ariaDisabled).toBe('true');
  await user.click(button('Zwei nach vorn'));
  expect(button('Zwei nach hinten').ariaDisabled).toBeNull();
  expect(button('Eins nach vorn').ariaDisabled).toBeNull();
});

it('A post keeps as many pictures as the database takes, however many the contribution has (posts)', async () => {
  const many = Array.from({ length: POST_LIMITS.pictures + 10 }, (_, at) => ({ id: at, name: `Bild ${at}`, url: '' }));
  const kept = vi.fn<(pictures: readonly unknown[]) => void>();
  render(<PictureList uploads={many} pictures={[picture(1)]} readOnly={false} onChange={kept} />);
  await userEvent.setup().click(screen.getByRole('checkbox', { name: 'Bild 59 verwenden' }));
  expect(kept).toHaveBeenCalledWith([picture(1), { upload: 59, alt: '', used: true }]);
});
