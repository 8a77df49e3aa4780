import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { REVIEW_SPOKEN_MAX_S } from '#contract/review.ts';
import { SpokenWords } from './spoken-words.tsx';
import { button, fakeRecorder, recorded, recording, resetParts, setRecorder } from '#tests/support/web/fake-parts.tsx';
import type { TranscriptionResult } from './transcription/transcribe.ts';
import { transcribe } from './transcription/transcribe.ts';

vi.mock('./recording/use-recorder.ts', async (original) => ({
  ...(await original<object>()),
  useRecorder: (await import('#tests/support/web/fake-parts.tsx')).useFakeRecorder,
}));
vi.mock('./transcription/transcribe.ts', () => ({ transcribe: vi.fn() }));

const onText = vi.fn((_text: string) => '');
const onBusy = vi.fn();
const answer = (result: TranscriptionResult): void => void vi.mocked(transcribe).mockResolvedValue(result);

beforeEach(() => {
  resetParts();
  vi.clearAllMocks();
  onText.mockReturnValue('');
  URL.createObjectURL = () => 'blob:ton';
  URL.revokeObjectURL = () => {};
  render(<SpokenWords place="7" reviewKey="k" streams={false} onText={onText} onBusy={onBusy} onClose={() => {}} />);
});
afterEach(cleanup);

it('Stops the recording after two minutes and says so (0264)', () => {
  const at = (seconds: number) =>
    act(() => setRecorder({ state: { status: 'recording', seconds, paused: false }, seconds }));
  at(REVIEW_SPOKEN_MAX_S - 1);
  expect(fakeRecorder().stop).not.toHaveBeenCalled();
  at(REVIEW_SPOKEN_MAX_S);
  expect(fakeRecorder().stop).toHaveBeenCalledTimes(1);
  expect(screen.getByText('Zwei Minuten sind voll.')).toBeTruthy();
});

it('Hands the text over with the review key and removes the recording then (0264)', async () => {
  answer({ ok: true, text: 'Bitte kürzer.', segments: [] });
  act(recorded);
  await userEvent.click(button('In Text umwandeln'));
  expect(vi.mocked(transcribe).mock.calls[0]?.[0]).toMatchObject({ recording, reviewKey: 'k', accessToken: undefined });
  expect(onText).toHaveBeenCalledWith('Bitte kürzer.');
  expect(onBusy).toHaveBeenCalledWith(true);
  expect(onBusy).toHaveBeenLastCalledWith(false);
  expect(fakeRecorder().discardAll).toHaveBeenCalledTimes(1);
});

it('Keeps the recording and shows the words that found no room, until they are added (0264)', async () => {
  answer({ ok: true, text: 'Bitte kürzer. Und mit Bild.', segments: [] });
  onText.mockReturnValueOnce('Und mit Bild.');
  act(recorded);
  await userEvent.click(button('In Text umwandeln'));
  await vi.waitFor(() => expect(screen.getByText('Das Feld ist voll')).toBeTruthy());
  expect(screen.getByText('Und mit Bild.')).toBeTruthy();
  expect(fakeRecorder().discardAll).not.toHaveBeenCalled();
  await userEvent.click(button('Rest anfügen'));
  expect(onText).toHaveBeenLastCalledWith('Und mit Bild.');
  expect(transcribe).toHaveBeenCalledTimes(1);
  expect(fakeRecorder().discardAll).toHaveBeenCalledTimes(1);
});

it('Keeps the recording where the key opens nothing any more (0264)', async () => {
  answer({ ok: false, error: { kind: 'rejected' } });
  act(recorded);
  await userEvent.click(button('In Text umwandeln'));
  expect((await screen.findByRole('alert')).textContent).toContain('Dieser Link gilt nicht mehr.');
  expect(onText).not.toHaveBeenCalled();
  expect(fakeRecorder().discardAll).not.toHaveBeenCalled();
});
