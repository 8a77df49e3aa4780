import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { type ComponentProps, type ReactNode, useEffect } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { texts } from './texts.ts';
import { readDraft } from './drafts.ts';
import { type LoadRecorder, SpeechContext, WordsForm } from './words-form.tsx';

type RecorderProps = ComponentProps<Awaited<ReturnType<LoadRecorder>>>;

const POST = 7;
const heard: RecorderProps['onText'][] = [];

function Recorder({ onText }: RecorderProps): ReactNode {
  useEffect(() => void heard.push(onText), [onText]);
  return <p>Aufnahme</p>;
}

/** Hands words to the function that was there when the recorder opened: transcribing takes its time. */
function say(words: string): string | undefined {
  let rest: string | undefined;
  act(() => void (rest = heard[0]?.(words)));
  return rest;
}

beforeEach(() => {
  localStorage.clear();
  heard.length = 0;
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const area = () => screen.getByRole<HTMLTextAreaElement>('textbox');

async function openForm(): Promise<UserEvent> {
  const user = userEvent.setup();
  const speech = { load: () => Promise.resolve(Recorder), reviewKey: 'k', streams: false };
  render(
    <SpeechContext value={speech}>
      <WordsForm about="change" post={POST} busy={false} onSend={() => Promise.resolve()} onCancel={() => {}} />
    </SpeechContext>,
  );
  await user.click(screen.getByRole('button', { name: 'Lieber sprechen' }));
  await screen.findByText('Aufnahme');
  return user;
}

it('Words typed while a recording is transcribed stay, and the spoken ones follow them (0264)', async () => {
  const user = await openForm();
  await user.type(area(), 'Bitte mit Bild.');
  expect(say('Und kürzer.')).toBe('');
  expect(area().value).toBe('Bitte mit Bild.\nUnd kürzer.');
  expect(readDraft(POST)).toMatchObject({ text: 'Bitte mit Bild.\nUnd kürzer.', speaking: false });
});

it('Spoken words beyond the limit are handed back whole, and the recorder stays open (0264)', async () => {
  const user = await openForm();
  await user.click(area());
  await user.paste('x'.repeat(texts.limit - 12));
  expect(say('Bitte kürzer schreiben.')).toBe('kürzer schreiben.');
  expect(area().value.endsWith('x\nBitte')).toBe(true);
  expect(screen.getByText('Aufnahme')).toBeTruthy();
  expect(readDraft(POST)?.speaking).toBe(true);
});

it('A draft says when it was changed, and only the same post shows it (0356)', async () => {
  const user = await openForm();
  vi.spyOn(Date, 'now').mockReturnValue(4_711);
  await user.click(area());
  await user.paste('Bitte kürzer.');
  expect(JSON.parse(localStorage.getItem(`review_draft:${POST}`) ?? '')).toMatchObject({ at: 4_711 });
  expect([readDraft(POST)?.text, readDraft(POST + 1)]).toEqual(['Bitte kürzer.', undefined]);
});

it('Where nothing more fits, the text stays as it is (0264)', async () => {
  const user = await openForm();
  await user.click(area());
  await user.paste('x'.repeat(texts.limit));
  expect(say('Bitte kürzer.')).toBe('Bitte kürzer.');
  expect(area().value).toBe('x'.repeat(texts.limit));
});
