import { type ReactNode, useState } from 'react';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { deskContribution } from '#tests/support/web/desk-items.ts';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import { NoteForm } from './history.tsx';

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

const open = (id = 7, answer: () => unknown = () => deskContribution({ id })) => {
  cleanup();
  return renderDesk(
    () => <NoteForm contribution={deskContribution({ id })} onChanged={() => undefined} onMissing={() => undefined} />,
    { answers: { desk_change: answer } },
  );
};
const field = () => screen.getByLabelText<HTMLTextAreaElement>('Interne Notiz');

it('Desk: keeps a note for its contribution on the device until it is saved', async () => {
  const { user } = open();
  await user.type(field(), 'Rückfrage bei Ada');
  expect(screen.getByText('Auf diesem Gerät gesichert, noch nicht gespeichert.')).toBeTruthy();
  open(8);
  expect(field().value).toBe('');
  const again = open();
  expect(field().value).toBe('Rückfrage bei Ada');
  await again.user.click(screen.getByRole('button', { name: 'Notiz speichern' }));
  await waitFor(() => expect(field().value).toBe(''));
  open();
  expect(field().value).toBe('');
});

it('Desk: forgets a note that is emptied, and says nothing of one that the device does not keep', async () => {
  const { user } = open();
  await user.type(field(), 'Ada');
  await user.clear(field());
  expect(Object.keys(localStorage).filter((key) => key.startsWith('note_draft:'))).toEqual([]);
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  await user.type(field(), 'Ada');
  expect(screen.queryByText('Auf diesem Gerät gesichert, noch nicht gespeichert.')).toBeNull();
  vi.restoreAllMocks();
});

const NOTE = { id: 3, at: '2026-11-21T09:30:00Z', by: 'kim@haus.example', what: 'note', from: null, to: null } as const;

/** The screen's two views: the form goes and comes back. */
function Views(): ReactNode {
  const [contribution, setContribution] = useState(deskContribution());
  const [shown, setShown] = useState(true);
  const form = <NoteForm contribution={contribution} onChanged={setContribution} onMissing={() => undefined} />;
  return (
    <>
      <button onClick={() => setShown(!shown)}>Ansicht</button>
      {shown && form}
    </>
  );
}

it('Desk: empties the field of a note that arrives while its form was away', async () => {
  const held = Promise.withResolvers<unknown>();
  const { user } = renderDesk(() => <Views />, { answers: { desk_change: () => held.promise } });
  await user.type(field(), 'Rückfrage bei Ada');
  await user.click(screen.getByRole('button', { name: 'Notiz speichern' }));
  await user.click(screen.getByRole('button', { name: 'Ansicht' }));
  await user.click(screen.getByRole('button', { name: 'Ansicht' }));
  expect(field().value).toBe('Rückfrage bei Ada');
  held.resolve(deskContribution({ events: [{ ...NOTE, text: 'Rückfrage bei Ada' }] }));
  await waitFor(() => expect(field().value).toBe(''));
  expect(Object.keys(localStorage).filter((key) => key.startsWith('note_draft:'))).toEqual([]);
});
