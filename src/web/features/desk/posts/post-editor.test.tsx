import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState, type ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import type { PostState } from '#contract/posts.ts';
import type { DeskPost } from '#web/backend/posts.ts';
import { STUB_USER } from '#tests/support/web/stub-server.ts';
import { ContributionScreen } from '../contribution/index.tsx';
import { deskContribution, deskPage, deskPost } from '#tests/support/web/desk-items.ts';
import { renderDesk, type DeskAnswers, unreachable } from '#tests/support/web/render-desk.tsx';
import { PostsView } from './posts-view.tsx';
import { openDraftStore } from './use-post-draft.ts';

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

const AT = '2026-11-20T09:30:00Z';
const list = (posts: readonly DeskPost[]) => ({ posts, link: null, mailWaiting: false });

function Posts(): ReactNode {
  const [chosen, choose] = useState<number>();
  return <PostsView contribution={deskContribution({ answers: null })} chosen={chosen} onChoose={choose} />;
}

const open = (posts: readonly DeskPost[], answers: DeskAnswers = {}, config: Partial<AppConfig> = {}) =>
  renderDesk(() => <Posts />, {
    config,
    answers: { desk_posts: () => list(posts), 'GET /rest/v1/post_versions': () => [], ...answers },
  });
const field = () => screen.findByLabelText<HTMLTextAreaElement>('Text');
const write = async (body: string) => fireEvent.change(await field(), { target: { value: body } });
const findPreview = () => screen.getByRole('heading', { name: /^So sieht es / }).closest('section') ?? expect.fail();

const LONG =
  `Die Prüfmaschine misst jedes Bauteil. ${'Sie steht in Halle 3. '.repeat(30)}` +
  '#Messtechnik https://www.beispiel.test/ein/langer/pfad';

it.each([
  ['linkedin', 'LinkedIn', `${LONG.length} von 3.000 Zeichen`, true],
  ['instagram', 'Instagram', `${LONG.length} von 2.200 Zeichen`, true],
  ['facebook', 'Facebook', `${LONG.length} von 63.206 Zeichen`, true],
  // An address weighs 23, whatever its length.
  ['x', 'X', / von 280 Zeichen · \d+ Zeichen zu viel/, false],
  ['website', 'Website', `${LONG.length} von 20.000 Zeichen`, false],
  ['newsletter', 'Newsletter', `${LONG.length} von 5.000 Zeichen`, false],
] as const)('Counts and shows a post for %s its own way (posts, channels)', async (channel, name, counted, folds) => {
  const { user, requests } = open([], { desk_post_add: () => deskPost({ channel, body: '' }) });
  await user.click(await screen.findByRole('button', { name: 'Post anlegen' }));
  await user.click(await screen.findByRole('menuitem', { name }));
  expect(await screen.findByRole('heading', { level: 2, name })).toBeTruthy();
  expect(requests.find(({ name: call }) => call === 'desk_post_add')?.args).toMatchObject({ channel });
  await write(LONG);
  expect(screen.getByRole('list', { name: 'Zählung des Kanals' }).textContent).toMatch(counted);
  const preview = findPreview();
  const more = within(preview).queryByRole('button', { name: 'mehr' });
  expect(more !== null).toBe(folds);
  if (more !== null) {
    const onPaper = preview.querySelector(String.raw`.hidden.print\:inline`)?.textContent ?? '';
    expect(onPaper, 'the rest is only printed').toContain('#Messtechnik');
    expect(preview.textContent.replace(onPaper, '')).not.toContain('#Messtechnik');
    await user.click(more);
  }
  expect(preview.textContent).toContain('#Messtechnik');
  expect(within(preview).queryAllByText('Dieser Kanal braucht ein Bild.')).toHaveLength(
    channel === 'instagram' ? 1 : 0,
  );
});

const PUBLISHED = { state: 'published', sentVersion: 1, publishedUrl: 'https://www.linkedin.com/posts/1' } as const;

it('The address of a published post changes, for one that leads into the net (posts)', async () => {
  const { user, requests } = open([deskPost(PUBLISHED)], {
    desk_post_move: ({ url }: { url: string }) => deskPost({ ...PUBLISHED, publishedUrl: url }),
  });
  await user.click(await screen.findByRole('button', { name: 'Adresse ändern' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Wo steht der Post?' }));
  const address = dialog.getByLabelText(/^Adresse/);
  const enter = async (url: string) => {
    await user.clear(address);
    await user.type(address, `${url}{Enter}`);
  };
  await enter('javascript:alert(1)');
  expect(await dialog.findByText('Das ist keine vollständige Adresse. Sie beginnt mit https://')).toBeTruthy();
  expect(requests.filter(({ name }) => name === 'desk_post_move')).toEqual([]);
  const url = 'https://www.linkedin.com/posts/2';
  await enter(url);
  expect((await screen.findByRole('link', { name: url })).getAttribute('href')).toBe(url);
  expect(requests.find(({ name }) => name === 'desk_post_move')?.args).toMatchObject({
    id: 1,
    state: 'published',
    url,
  });
});

it('An address that was not saved says so, where its dialog was closed meanwhile (posts)', async () => {
  const held = Promise.withResolvers<unknown>();
  const { user } = open([deskPost(PUBLISHED)], { desk_post_move: () => held.promise.then(unreachable) });
  await user.click(await screen.findByRole('button', { name: 'Adresse ändern' }));
  await user.type(await screen.findByLabelText(/^Adresse/), '/2{Enter}{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  held.resolve(undefined);
  expect(await screen.findByText(/nicht erreichbar/, { selector: '[data-variant] *' })).toBeTruthy();
});

it('A withdrawn post is taken down, with the words of the contributor in sight (posts)', async () => {
  const comment = 'Ich habe die Firma gewechselt.';
  const answers = [{ answer: 'withdraw' as const, comment, at: AT, version: 1 }];
  const { user, requests } = open([deskPost({ ...PUBLISHED, withdrawnAt: AT, answers })], {
    desk_post_move: ({ state }: { state: PostState }) => deskPost({ ...PUBLISHED, state, answers }),
  });
  expect(await screen.findByText('Bitte aus dem Kanal nehmen')).toBeTruthy();
  expect(screen.getByText(comment)).toBeTruthy();
  expect(screen.getAllByText(/„Weitere Aktionen“.*„Aus dem Kanal genommen“/), 'names the way').toHaveLength(2);
  await user.click(screen.getByRole('button', { name: 'Weitere Aktionen' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Aus dem Kanal genommen' }));
  expect(await screen.findByText('Gestoppt')).toBeTruthy();
  expect(requests.find(({ name }) => name === 'desk_post_move')?.args).toMatchObject({ id: 1, state: 'declined' });
});

it('The link goes out once more at a press (posts)', async () => {
  const posts = [deskPost({ ...PUBLISHED, state: 'declined' })];
  const { user, requests } = open(posts, { desk_review_request: () => list(posts) });
  await user.click(await screen.findByRole('button', { name: 'Link noch einmal senden' }));
  expect(await screen.findByText('Neuer Link ist unterwegs')).toBeTruthy();
  const asked = requests.find(({ name }) => name === 'desk_review_request');
  expect(asked?.args).toEqual({ contribution: 7, posts: [] });
});

it('HTML and marks that turn the direction in an answer are shown as text (posts)', async () => {
  const comment = '<img src=x onerror="document.title=1"><b>fett</b> \u202Ekcor\u202C =1+1';
  open([deskPost({ state: 'changes_requested', answers: [{ answer: 'change', comment, at: AT, version: 1 }] })]);
  expect(await screen.findByText(comment)).toBeTruthy();
  expect(document.querySelector('img')).toBeNull();
});

it.each([true, false])('Offers drafts where there is a language model: %s (posts, drafting)', async (drafts) => {
  renderDesk(() => <ContributionScreen id={7} address="?ansicht=posts" />, {
    config: { drafts },
    answers: {
      desk_contribution: () => deskContribution(),
      desk_inbox: () => deskPage(),
      desk_posts: () => list([deskPost({ body: '' })]),
      'GET /rest/v1/post_versions': () => [],
    },
  });
  expect(await screen.findByRole('button', { name: 'Aus dem Material beginnen' })).toBeTruthy();
  if (drafts) await screen.findByRole('button', { name: 'Entwurf schreiben lassen' });
  expect(screen.queryAllByRole('button', { name: 'Entwurf schreiben lassen' })).toHaveLength(drafts ? 1 : 0);
});

it('A text that is not saved is neither sent, nor copied as what was approved, also after a reload (posts)', async () => {
  const approved = deskPost({ state: 'approved', sentVersion: 1 });
  const store = openDraftStore(STUB_USER.id);
  store.keep(1, { version: 1, body: 'Das hat niemand gelesen.', pictures: [] });
  store.keep(2, { version: 1, body: 'Das ist nicht gespeichert.', pictures: [] });
  const { user } = open([approved, deskPost({ id: 2, channel: 'website' })]);
  expect((await field()).value).toBe('Das hat niemand gelesen.');
  await user.click(screen.getByRole('button', { name: 'Zur Freigabe senden' }));
  const send = within(await screen.findByRole('dialog', { name: 'Zur Freigabe senden?' }));
  expect(send.getByText('Website: Es gibt Ungespeichertes.')).toBeTruthy();
  expect(send.getByRole<HTMLButtonElement>('button', { name: '0 Posts senden' }).disabled).toBe(true);
  await user.click(send.getByRole('button', { name: 'Abbrechen' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Freigegebenen Text kopieren' }));
  expect(await navigator.clipboard.readText()).toBe('Die Pumpe läuft.');
});

it('Who reads an older version keeps the place where somebody saves another one (WCAG 2.4.3, posts)', async () => {
  let count = 2;
  const row = (version: number) => ({ ...deskPost().current, version, body: `Text ${version}`, created_at: AT });
  const { user } = renderDesk(() => <Posts />, {
    answers: {
      desk_posts: () => list([deskPost({ version: count, body: `Text ${count}` })]),
      'GET /rest/v1/post_versions': () => Array.from({ length: count }, (_, at) => row(count - at)),
    },
  });
  const first = await screen.findByRole('button', { name: 'Fassung 1' });
  await user.click(first);
  count = 3;
  fireEvent(window, new Event('visibilitychange'));
  await screen.findByRole('button', { name: 'Fassung 3' });
  expect(document.activeElement).toBe(first);
});
