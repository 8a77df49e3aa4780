import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { type ComponentProps, type ReactNode, useLayoutEffect } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ReviewedPost } from '#contract/posts.ts';
import { AnswerPanel } from './answer-panel.tsx';
import { texts } from './texts.ts';
import { keepDraft, readDraft } from './drafts.ts';
import type { AnswerOutcome } from './use-review.ts';
import { type LoadRecorder, SpeechContext, WordsForm } from './words-form.tsx';

type RecorderProps = ComponentProps<Awaited<ReturnType<LoadRecorder>>>;

const POST = 7;
const heard: RecorderProps['onText'][] = [];
let report: RecorderProps['onBusy'] | undefined;

/** Hands its listeners out before its text is in the page, which is what tests wait for. */
function Recorder({ onText, onBusy }: RecorderProps): ReactNode {
  useLayoutEffect(() => void heard.push(onText), [onText]);
  useLayoutEffect(() => void (report = onBusy), [onBusy]);
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
  report = undefined;
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const area = () => screen.getByRole<HTMLTextAreaElement>('textbox');

const speech = { load: () => Promise.resolve(Recorder), reviewKey: 'k', streams: false };

async function openForm(): Promise<UserEvent> {
  const user = userEvent.setup();
  render(
    <SpeechContext value={speech}>
      <WordsForm
        about="change"
        post={POST}
        version={1}
        busy={false}
        onSend={() => Promise.resolve()}
        onCancel={() => {}}
      />
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

const REVIEWED: ReviewedPost = {
  id: POST,
  channel: 'linkedin',
  version: 1,
  state: 'in_review',
  body: '',
  pictures: [],
  answer: null,
  publishedUrl: null,
  publishedAt: null,
  withdrawnAt: null,
};

/** Shows a form with words and an open recorder; `answered` ends the sending. */
async function openPanel() {
  const { promise: outcome, resolve: answered } = Promise.withResolvers<AnswerOutcome>();
  const onAnswer = vi.fn(() => outcome);
  keepDraft(POST, { about: 'change', text: 'Bitte kürzer.', speaking: true });
  render(
    <SpeechContext value={speech}>
      <AnswerPanel post={REVIEWED} channel="LinkedIn" onAnswer={onAnswer} />
    </SpeechContext>,
  );
  await screen.findByText('Aufnahme');
  const send = () => userEvent.click(screen.getByRole('button', { name: texts.forms.change.send }));
  return { onAnswer, send, answered: (became: AnswerOutcome) => act(async () => answered(became)) };
}

it('Says that kept words are about an earlier text before they are sent to the new one (0356)', async () => {
  const panel = (version: number) => (
    <AnswerPanel post={{ ...REVIEWED, version }} channel="LinkedIn" onAnswer={() => new Promise(() => {})} />
  );
  const { rerender, unmount } = render(panel(1));
  await userEvent.click(screen.getByRole('button', { name: texts.change }));
  await userEvent.type(area(), 'Bitte kürzer.');
  expect(screen.queryByText(texts.newText.title)).toBeNull();
  rerender(panel(2));
  expect(screen.getByText(texts.newText.title)).toBeTruthy();
  unmount();
  render(panel(2));
  expect(area().value).toBe('Bitte kürzer.');
  expect(screen.getByText(texts.newText.title)).toBeTruthy();
});

it('Says that the text is another one before it is approved, where the page has replaced it meanwhile (posts)', async () => {
  const panel = (facts: Partial<ReviewedPost>) => (
    <AnswerPanel post={{ ...REVIEWED, ...facts }} channel="LinkedIn" onAnswer={() => Promise.resolve('recorded')} />
  );
  const { rerender } = render(panel({}));
  rerender(panel({ state: 'draft' }));
  expect(screen.queryByText(texts.newText.title)).toBeNull();
  rerender(panel({ version: 2 }));
  expect(screen.getByText(texts.newText.title)).toBeTruthy();
  expect(screen.getByText(texts.newText.choice)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: texts.approve }));
  rerender(panel({ version: 2, state: 'approved' }));
  expect(screen.queryByText(texts.newText.title)).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: texts.again }));
  expect(screen.queryByText(texts.newText.title)).toBeNull();
});

it('The keyboard keeps its place where a form is cancelled and where an answer is changed (WCAG 2.4.3)', async () => {
  const panel = (state: ReviewedPost['state']) => (
    <AnswerPanel post={{ ...REVIEWED, state }} channel="LinkedIn" onAnswer={() => Promise.resolve('recorded')} />
  );
  const { rerender } = render(panel('in_review'));
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
  await press(texts.change);
  await press(texts.back);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: texts.approve }));
  rerender(panel('approved'));
  await press(texts.again);
  expect(document.activeElement?.textContent).toBe(texts.given.approve);
  await press(texts.decline);
  await press(texts.back);
  expect(document.activeElement?.textContent).toBe(texts.given.approve);
});

it('Words that come while an answer is on its way are not deleted with those that were sent (0264)', async () => {
  const { onAnswer, send, answered } = await openPanel();
  await send();
  expect(onAnswer).toHaveBeenCalledWith(expect.objectContaining({ comment: 'Bitte kürzer.' }));
  await userEvent.type(area(), 'Getippt.');
  say('Und mit Bild.');
  await answered('recorded');
  expect([area().value, readDraft(POST)?.text]).toEqual(Array(2).fill('Bitte kürzer.\nUnd mit Bild.'));
});

it('Sends only once the spoken words are there, and closes when all were sent (0264)', async () => {
  const { onAnswer, send, answered } = await openPanel();
  act(() => report?.(true));
  await send();
  expect(onAnswer).not.toHaveBeenCalled();
  act(() => report?.(false));
  await send();
  await answered('recorded');
  expect([screen.queryByRole('textbox'), readDraft(POST)]).toEqual([null, undefined]);
});

it('Words stay in sight where the team took the post back meanwhile, and the focus stays beside them (posts)', async () => {
  const user = userEvent.setup();
  const drafted = { ...REVIEWED, state: 'draft' } as const;
  const onAnswer = vi.fn(async (): Promise<AnswerOutcome> => {
    view.rerender(<AnswerPanel post={drafted} channel="LinkedIn" onAnswer={onAnswer} />);
    return Promise.resolve('closed');
  });
  const view = render(<AnswerPanel post={REVIEWED} channel="LinkedIn" onAnswer={onAnswer} />);
  await user.click(screen.getByRole('button', { name: 'Bitte ändern' }));
  await user.type(area(), 'Es waren vier Monate.');
  await user.click(screen.getByRole('button', { name: 'Änderung senden' }));
  expect(await screen.findByText(texts.outcome.closed.title)).toBeTruthy();
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.getByRole('figure').textContent).toBe(`${texts.keptWords}Es waren vier Monate.`);
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Es waren vier Monate.'));
  expect(document.activeElement).not.toBe(document.body);
  view.rerender(<AnswerPanel post={REVIEWED} channel="LinkedIn" onAnswer={onAnswer} />);
  expect(area().value).toBe('Es waren vier Monate.');
});
