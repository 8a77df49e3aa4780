import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import type { Review, ReviewedPost } from '#contract/posts.ts';
import { REVIEW_COMMENT_MAX, REVIEW_LINK_PATH, REVIEW_PICTURES_PATH } from '#contract/review.ts';
import { createSessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import { STUB_CONFIG } from '#tests/support/web/stub-server.ts';
import { ReviewScreen } from './index.tsx';

type Answers = Readonly<Record<string, () => unknown>>;

const KEY = 'k'.repeat(43);
const user = userEvent.setup({ delay: null });
/** What the page asked the server for, in order. */
const requests: Readonly<{ path: string; body: unknown }>[] = [];

beforeEach(() => {
  requests.length = 0;
  window.location.hash = `k=${KEY}`;
});
afterEach(() => vi.unstubAllGlobals());

const unreachable = (): never => {
  throw new TypeError('Failed to fetch');
};
const gone = () => Response.json({ code: 'PT404', message: 'no such review' }, { status: 404 });

/** Of a proxy whose backend starts again. */
const page = (status: number) => new Response('<html>', { status });

/** Opens the page again, as a reload does; `answers` by the name of the function or the path. */
function openReview(answers: Answers, config: Partial<AppConfig> = {}): void {
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) => {
    const path = new URL(url, STUB_CONFIG.supabaseUrl).pathname.replace('/rest/v1/rpc/', '');
    requests.push({ path, body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined });
    await Promise.resolve();
    const answer = answers[path]?.() ?? (path === REVIEW_PICTURES_PATH ? { pictures: [] } : gone());
    return answer instanceof Response ? answer : Response.json(answer);
  });
  cleanup();
  const store = createSessionStore({ ...STUB_CONFIG, ...config }, () => Promise.reject(new Error('not needed here')));
  render(
    <SessionProvider value={store}>
      <main>
        <ReviewScreen loadRecorder={() => Promise.reject(new Error('not needed here'))} />
      </main>
    </SessionProvider>,
  );
}

const POST: ReviewedPost = {
  id: 1,
  channel: 'linkedin',
  state: 'in_review',
  version: 1,
  body: 'Wir haben eine neue Prüfmaschine gebaut.',
  pictures: [],
  publishedUrl: null,
  publishedAt: null,
  withdrawnAt: null,
  answer: null,
};
const review = (facts: Partial<ReviewedPost> = {}): Review => ({
  firstName: 'Ada',
  sources: { transcript: '', answers: {} },
  posts: [{ ...POST, ...facts }],
});
const change = (comment: string) =>
  review({ state: 'changes_requested', answer: { answer: 'change', comment, at: '2026-11-22T10:00:00Z' } });

const findCard = (name = 'LinkedIn') => screen.findByRole('region', { name });
const press = async (name: string) => user.click(await screen.findByRole('button', { name }));
const findHeading = (name: string) => screen.findByRole('heading', { level: 1, name });
const words = () => screen.getByRole<HTMLTextAreaElement>('textbox');
const sent = () => requests.filter(({ path }) => path === 'review_answer').map(({ body }) => body);

async function askForChange(comment: string): Promise<void> {
  await press('Bitte ändern');
  await user.click(words());
  await user.paste(comment);
  await press('Änderung senden');
}

test('An answer to an outdated text does not count, shows the new one and keeps what was typed (posts)', async () => {
  openReview({
    review_open: () => review(),
    review_answer: () => ({ outcome: 'outdated', review: review({ state: 'draft' }) }),
  });
  await askForChange('Das Wort Werkstatt bitte streichen.');
  const card = await findCard();
  await waitFor(() => expect(card.textContent).toContain('Der Text hat sich geändert'));
  expect(card.textContent).toContain('Du bekommst sie wieder zur Durchsicht');
  expect(sent()).toEqual([{ post: 1, version: 1, answer: 'change', comment: 'Das Wort Werkstatt bitte streichen.' }]);
  window.location.hash = `k=${'n'.repeat(43)}`;
  openReview({ review_open: () => review({ version: 2, body: 'Ein ganz neuer Text über die Prüfmaschine.' }) });
  expect((await findCard()).textContent).toContain('Ein ganz neuer Text über die Prüfmaschine.');
  expect(words().value).toBe('Das Wort Werkstatt bitte streichen.');
});

test('Without a network nothing typed is lost, also by a reload, and it is sent at the next press (posts)', async () => {
  openReview({ review_open: () => review(), review_answer: unreachable });
  await askForChange('Bitte kürzer.');
  await waitFor(async () => expect((await findCard()).textContent).toContain('Keine Verbindung'));
  let away = true;
  openReview({
    review_open: () => (away ? unreachable() : review()),
    review_answer: () => ({ outcome: 'recorded', review: change('Bitte kürzer.') }),
  });
  await findHeading('Gerade keine Verbindung');
  away = false;
  await press('Erneut versuchen');
  await findCard();
  expect(words().value).toBe('Bitte kürzer.');
  await press('Änderung senden');
  await waitFor(async () => expect((await findCard()).textContent).toContain('Dein Wunsch ist beim Team'));
  expect(Object.keys(localStorage).filter((key) => key.startsWith('review_draft:'))).toEqual([]);
  expect(sent().at(-1)).toEqual({ post: 1, version: 1, answer: 'change', comment: 'Bitte kürzer.' });
});

test('An answer whose reply was lost counts as given once seen, and words typed after it stay (posts)', async () => {
  let there = review();
  const answers = { review_open: () => there, review_answer: unreachable };
  const lookAgain = () => act(async () => void document.dispatchEvent(new Event('visibilitychange')));
  const status = async () => (await findCard()).textContent;
  openReview(answers, { transcription: true });
  await press('Passt so');
  await screen.findByText('Keine Verbindung');
  there = review({ state: 'approved', answer: { answer: 'approve', comment: '', at: '2026-11-22T10:00:00Z' } });
  await lookAgain();
  expect(await status()).toContain('Du hast Ja gesagt');
  expect(await status()).not.toContain('noch nicht angekommen');
  await press('Antwort ändern');
  await askForChange('Bitte kürzer.');
  await screen.findByText('Keine Verbindung');
  await press('Lieber sprechen');
  there = change('Bitte kürzer.');
  await lookAgain();
  expect(words().value).toBe('Bitte kürzer.');
  await press('Lieber schreiben');
  there = review();
  await user.type(words(), ' Viel kürzer.');
  there = change('Bitte kürzer.');
  await lookAgain();
  expect(words().value).toBe('Bitte kürzer. Viel kürzer.');
  there = change('Bitte kürzer. Viel kürzer.');
  openReview(answers);
  await findCard();
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(localStorage.getItem('review_draft:1')).toBeNull();
});

test('A dead link offers a new one, which a cut key proves nothing for (posts)', async () => {
  openReview({ [REVIEW_LINK_PATH]: () => Response.json({}, { status: 202 }) });
  await findHeading('Dieser Link gilt nicht mehr');
  await press('Neuen Link schicken');
  expect(await screen.findByText('Schau in dein Postfach')).toBeTruthy();
  expect(requests.at(-1)).toEqual({ path: REVIEW_LINK_PATH, body: { key: KEY } });
  requests.length = 0;
  window.location.hash = 'k=abgeschnitten';
  openReview({});
  await findHeading('Dieser Link gilt nicht mehr');
  expect(screen.getByText(/Öffne ihn noch einmal aus unserer E-Mail/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Neuen Link schicken' })).toBeNull();
  expect(requests).toEqual([]);
});

test('A link opens also in a tab whose storage is full (posts)', async () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  openReview({ review_open: () => review() });
  expect((await findCard()).textContent).toContain('Prüfmaschine');
  vi.restoreAllMocks();
});

test('Speaking is offered where something transcribes, and only there (0264)', async () => {
  for (const transcription of [true, false]) {
    openReview({ review_open: () => review() }, { transcription });
    await press('Bitte ändern');
    expect(document.activeElement).toBe(words());
    expect(screen.queryAllByRole('button', { name: 'Lieber sprechen' })).toHaveLength(transcription ? 1 : 0);
    await press('Abbrechen');
  }
});

test('The evidence names the words of the contributor and what was added (posts)', async () => {
  const said = 'Früher ging ein Teil zum Messraum, heute misst die Maschine direkt neben der Drehbank.';
  const body = `${said} Unser Team hat dafür fünf Monate getüftelt und ist stolz wie nie.`;
  openReview({ review_open: () => ({ ...review({ body }), sources: { transcript: `Du: ${said}`, answers: {} } }) });
  await press('Worauf stützt sich das?');
  await screen.findByText('Das hast du so gesagt');
  const [own, added] = within(await findCard())
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
  expect(own).toContain('Das hast du so gesagt');
  expect(own).toContain('Aus deinem Gespräch');
  expect(added).toContain('Von uns ergänzt');
});

test('Posts that the team took back thank for nothing, and typed words stay in sight (posts)', async () => {
  const answers = {
    review_open: () => review(requests.length > 1 ? { state: 'draft' } : {}),
    review_answer: () => ({ outcome: 'outdated', review: review({ state: 'draft' }) }),
  };
  openReview(answers);
  await askForChange('Es waren vier Monate.');
  const card = await findCard();
  await waitFor(() => expect(card.textContent).toContain('Deine Antwort haben wir deshalb nicht gezählt'));
  for (const again of [false, true]) {
    if (again) openReview(answers);
    expect((await screen.findByRole('figure')).textContent).toContain('Es waren vier Monate.');
    expect(screen.getByText('Das Team ist gerade dran')).toBeTruthy();
    expect(screen.queryByText(/das war alles/)).toBeNull();
  }
});

test('A contribution erased while its review is open: the next press says that the link is dead (posts)', async () => {
  openReview({ review_open: () => review() });
  expect((await findCard()).textContent).toContain('Prüfmaschine');
  await askForChange('Bitte kürzer.');
  for (const again of [false, true]) {
    if (again) openReview({});
    await findHeading('Dieser Link gilt nicht mehr');
    expect(screen.getByRole('main').textContent).not.toContain('Prüfmaschine');
  }
});

test('The page of a proxy in place of an answer ends no review and sends no link (posts)', async () => {
  let answer: () => unknown = review;
  openReview({ review_open: () => answer(), [REVIEW_LINK_PATH]: () => page(200) });
  await findCard();
  answer = () => page(404);
  document.dispatchEvent(new Event('visibilitychange'));
  await waitFor(() => expect(requests.filter(({ path }) => path === 'review_open')).toHaveLength(2));
  await press('Bitte ändern');
  answer = gone;
  document.dispatchEvent(new Event('visibilitychange'));
  await press('Neuen Link schicken');
  expect(await screen.findByText(/Keine Verbindung/)).toBeTruthy();
  expect(screen.queryByText('Schau in dein Postfach')).toBeNull();
});

test('HTML and marks that turn the direction are sent and shown as text (posts)', async () => {
  const hostile = '<img src=x onerror="document.title=1"><b>fett</b> \u202Ekcor\u202C =1+1';
  openReview({
    review_open: () => review(),
    review_answer: () => ({ outcome: 'recorded', review: change(hostile) }),
  });
  await askForChange(hostile);
  await waitFor(async () => expect((await findCard()).textContent).toContain('Dein Wunsch ist beim Team'));
  expect(screen.getByText(hostile)).toBeTruthy();
  expect(document.querySelector('main img')).toBeNull();
  expect(sent()).toEqual([{ post: 1, version: 1, answer: 'change', comment: hostile }]);
});

test('No comment is longer than the server takes (posts)', async () => {
  openReview({ review_open: () => review() });
  await press('Bitte ändern');
  expect(words().getAttribute('maxlength')).toBe(String(REVIEW_COMMENT_MAX));
});

test('A picture that the store has lost leaves its words, and the answer counts (posts)', async () => {
  const picture = (name: string, alt: string) => ({ path: `7/${name}.png`, type: 'image/png', alt });
  const pictures = [picture('halle', 'Blick in die Werkstatt'), picture('weg', 'Die neue Prüfmaschine')];
  openReview({
    review_open: () => review({ pictures }),
    [REVIEW_PICTURES_PATH]: () => ({ pictures: [{ path: '7/halle.png', url: '/halle?token=t' }] }),
    review_answer: () => ({ outcome: 'recorded', review: review({ pictures, state: 'approved' }) }),
  });
  await waitFor(() => expect(document.querySelectorAll('main img')).toHaveLength(1));
  expect((await findCard()).textContent).toContain('Bild 2: Die neue Prüfmaschine');
  await press('Passt so');
  await waitFor(async () => expect((await findCard()).textContent).toContain('Du hast Ja gesagt'));
  expect(sent()).toEqual([{ post: 1, version: 1, answer: 'approve', comment: '' }]);
});

test('A post that was taken out of its channel does not read as one that was never in it (posts)', async () => {
  const at = '2026-11-22T10:00:00Z';
  openReview({ review_open: () => review({ state: 'declined', publishedAt: at, withdrawnAt: at }) });
  const card = await findCard();
  expect(card.textContent).toContain('Das Team hat diesen Post aus dem Kanal genommen.');
  expect(card.textContent).not.toContain('Er wird nicht veröffentlicht');
});

test.each([
  ['a text alone', 0],
  ['a text with a picture', 1],
])('The page says post as the mail does, and of %s no more than there is (0408)', async (_what, count) => {
  const pictures = [{ path: '1/a.png', type: 'image/png', alt: 'Halle' }].slice(0, count);
  openReview({ review_open: () => review({ pictures }) });
  await findCard();
  const shown = screen.getByRole('main').textContent ?? '';
  expect(shown).toContain('Aus deinem Beitrag ist ein Post entstanden.');
  expect(shown.replace('Aus deinem Beitrag', ''), 'what was handed in is one, what comes of it is not').not.toMatch(
    /Beitr(?:ag|äge)/,
  );
  expect(shown).toContain(`erlaubst du uns (${STUB_CONFIG.brand.association}), genau diesen Text`);
  expect(/genau diesen Bildern|Auf den Bildern|auf den Bildern/.test(shown)).toBe(count > 0);
});
