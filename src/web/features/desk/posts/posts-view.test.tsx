import { act, screen, waitFor, within } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DeskContribution } from '#contract/desk.ts';
import type { PostState } from '#contract/posts.ts';
import type { DeskPost } from '#web/backend/posts.ts';
import { STUB_USER } from '#tests/support/web/stub-server.ts';
import { ContributionScreen } from '../contribution/index.tsx';
import { deskContribution, deskPage, deskPost } from '#tests/support/web/desk-items.ts';
import { passRounds, refusal, renderDesk, type DeskAnswers } from '#tests/support/web/render-desk.tsx';
import { PostsView } from './posts-view.tsx';
import { openDraftStore } from './use-post-draft.ts';

beforeEach(() => localStorage.clear());
afterEach(() => vi.unstubAllGlobals());

const AT = '2026-11-20T09:30:00Z';

function Posts({ contribution }: Readonly<{ contribution: DeskContribution }>): ReactNode {
  const [chosen, choose] = useState<number>();
  return <PostsView contribution={contribution} chosen={chosen} onChoose={choose} />;
}

const open = (posts: readonly DeskPost[], answers: DeskAnswers = {}, facts: Partial<DeskContribution> = {}) =>
  renderDesk(() => <Posts contribution={deskContribution(facts)} />, {
    answers: {
      desk_posts: () => ({ posts, link: null, mailWaiting: false }),
      'GET /rest/v1/post_versions': () => [],
      ...answers,
    },
  });
const field = () => screen.findByLabelText<HTMLTextAreaElement>('Text');

const LINK = { createdAt: AT, expiresAt: AT, expired: false, firstOpenedAt: null };

it.each([
  [{ link: null, mailWaiting: true }, 'Die E-Mail mit dem Link geht gleich hinaus.'],
  [{ link: LINK, mailWaiting: true }, 'Die E-Mail mit dem Link geht gleich hinaus.'],
  [{ link: LINK, mailWaiting: false }, /^Freigabe-Link verschickt: .* · noch nicht geöffnet$/],
  [{ link: { ...LINK, firstOpenedAt: AT }, mailWaiting: false }, /· zuerst geöffnet: /],
  [{ link: { ...LINK, expired: true }, mailWaiting: false }, /^Freigabe-Link verschickt: .* · abgelaufen: /],
  [{ link: null, mailWaiting: false }, 'Zurzeit gilt kein Freigabe-Link.'],
])('Of the link %o it says: %s (posts)', async (facts, text) => {
  const answers = { desk_posts: () => ({ posts: [deskPost({ sentVersion: 1 })], ...facts }) };
  renderDesk(() => <Posts contribution={deskContribution()} />, { answers, config: { mailServer: false } });
  expect(await screen.findByText(text)).toBeTruthy();
  expect(screen.getByText(/^Hier ist kein Mailversand eingerichtet/)).toBeTruthy();
});

it('Saves from the version that it shows, and says so (posts)', async () => {
  const { user, requests } = open([deskPost()], {
    desk_post_save: ({ body }: { body: string }) => deskPost({ version: 2, body }),
  });
  await user.type(await field(), ' Und wie.');
  expect(screen.getByText('Nicht gespeichert, auf diesem Gerät gesichert')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Speichern' }));
  expect(await screen.findByText('Gespeichert')).toBeTruthy();
  expect(requests.find(({ name }) => name === 'desk_post_save')?.args).toEqual({
    id: 1,
    version: 1,
    body: 'Die Pumpe läuft. Und wie.',
    pictures: [],
    origin: 'person',
    model: null,
    seen: deskPost().changedAt,
  });
  expect(Object.keys(localStorage).filter((key) => key.startsWith('post_draft:'))).toEqual([]);
});

it('Keeps what an action did where an older answer arrives after it (posts)', async () => {
  const held = Promise.withResolvers<unknown>();
  const lists: unknown[] = [{ posts: [], link: null, mailWaiting: false }, held.promise];
  const { user, requests } = open([], { desk_posts: () => lists.shift(), desk_post_add: () => deskPost() });
  await screen.findByText('Noch kein Post');
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  await waitFor(() => expect(requests.filter(({ name }) => name === 'desk_posts')).toHaveLength(2));
  await user.click(screen.getByRole('button', { name: 'Post anlegen' }));
  await user.click(await screen.findByRole('menuitem', { name: 'LinkedIn' }));
  expect(await screen.findByRole('heading', { level: 2, name: 'LinkedIn' })).toBeTruthy();
  held.resolve({ posts: [], link: null, mailWaiting: false });
  await passRounds(20);
  expect(screen.getByRole('heading', { level: 2, name: 'LinkedIn' })).toBeTruthy();
});

it('Counts what the contributor approved, without what was stopped or withdrawn (posts)', async () => {
  const states: PostState[] = ['approved', 'published', 'in_review', 'declined'];
  const posts = states.map((state, at) => deskPost({ id: at + 1, state, sentVersion: 1 }));
  const withdrawn = deskPost({ id: 5, state: 'published', withdrawnAt: AT });
  open([...posts, withdrawn, { ...withdrawn, id: 6, state: 'approved' }]);
  expect(await screen.findByText('3 von 5 freigegeben')).toBeTruthy();
});

it('Says why nothing can be sent (posts)', async () => {
  const { user } = open([deskPost()], {
    desk_review_request: () =>
      Response.json({ code: '22023', message: 'mail: no address', details: null, hint: null }, { status: 400 }),
  });
  await user.click(await screen.findByRole('button', { name: 'Zur Freigabe senden' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Zur Freigabe senden?' }));
  await user.click(dialog.getByRole('button', { name: '1 Post senden' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('gibt es keine E-Mail-Adresse');
});

it.each([
  ['there is no address to send to', 'gibt es keine E-Mail-Adresse', { contributorEmail: null }, {}],
  ['this server sends no mails', 'Dieser Server verschickt keine E-Mails', {}, { deskMails: false, mailServer: false }],
])('Offers no sending where %s (posts)', async (_where, why, facts, config) => {
  const { user } = renderDesk(() => <Posts contribution={deskContribution(facts)} />, {
    answers: {
      desk_posts: () => ({ posts: [deskPost()], link: null, mailWaiting: false }),
      'GET /rest/v1/post_versions': () => [],
    },
    config,
  });
  await user.click(await screen.findByRole('button', { name: 'Zur Freigabe senden' }));
  const dialog = await screen.findByRole('dialog', { name: 'Zur Freigabe senden?' });
  expect(dialog.textContent).toContain(why);
  expect(dialog.textContent).not.toMatch(/bekommt eine E-Mail|als Datei/);
  expect(within(dialog).queryByRole('button', { name: /senden$/ })).toBeNull();
  await user.click(within(dialog).getByText('Schließen'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('Sends no post whose field holds unsaved text, and none without a text (posts)', async () => {
  const { user } = open([deskPost(), deskPost({ id: 2, channel: 'x', body: ' ' })]);
  await user.type(await field(), '!');
  await user.click(screen.getByRole('button', { name: 'Zur Freigabe senden' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Zur Freigabe senden?' }));
  expect(dialog.getByText('LinkedIn: Es gibt Ungespeichertes.')).toBeTruthy();
  expect(dialog.getByText('X: Der Text fehlt.')).toBeTruthy();
  expect(dialog.getByRole<HTMLButtonElement>('button', { name: '0 Posts senden' }).disabled).toBe(true);
});

it('Sends no post whose unsaved text lies on the device while another one is open (posts)', async () => {
  const { user } = open([deskPost(), deskPost({ id: 2, channel: 'x' })]);
  await user.type(await field(), '!');
  await user.click(screen.getByRole('button', { name: /^X/ }));
  await user.click(screen.getByRole('button', { name: 'Zur Freigabe senden' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Zur Freigabe senden?' }));
  expect(dialog.getByText('LinkedIn: Es gibt Ungespeichertes.')).toBeTruthy();
  expect(dialog.getByRole('button', { name: '1 Post senden' })).toBeTruthy();
});

it('Sends a post whose kept text is the saved one (posts)', async () => {
  openDraftStore(STUB_USER.id).keep(2, { version: 1, body: 'Die Pumpe läuft.', pictures: [] });
  const { user } = open([deskPost(), deskPost({ id: 2, channel: 'x' })]);
  await user.click(await screen.findByRole('button', { name: 'Zur Freigabe senden' }));
  expect(await screen.findByRole('button', { name: '2 Posts senden' })).toBeTruthy();
});

const APPROVED = { state: 'approved', sentVersion: 1, publishedUrl: null } as const;

it('Shows a published post as it was approved, whatever is typed, and keeps that for later (posts)', async () => {
  const url = 'https://www.linkedin.com/posts/1';
  const { user } = open([deskPost(APPROVED)], {
    desk_post_move: ({ state }: { state: PostState }) =>
      deskPost({ ...APPROVED, state, publishedUrl: state === 'published' ? url : null }),
  });
  await user.type(await field(), ' Fast.');
  await user.click(screen.getByRole('button', { name: 'Veröffentlicht' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Wo steht der Post?' }));
  expect(dialog.getByText('Im Feld steht Ungespeichertes')).toBeTruthy();
  expect(dialog.getByText('Veröffentlicht wird der freigegebene Text.', { exact: false })).toBeTruthy();
  await user.type(dialog.getByLabelText(/^Adresse/), url);
  await user.click(dialog.getByRole('button', { name: 'Als veröffentlicht speichern' }));
  expect(await screen.findByText(/^Dieser Text steht im Kanal/)).toBeTruthy();
  expect((await field()).value).toBe('Die Pumpe läuft.');
  expect(document.body.textContent).not.toContain('Fast.');
  expect(screen.getByText(/Was du geschrieben und nicht gespeichert hast, bleibt auf diesem Gerät/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Text kopieren' }));
  expect(await navigator.clipboard.readText()).toBe('Die Pumpe läuft.');

  await user.click(screen.getByRole('button', { name: 'Weitere Aktionen' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Aus dem Kanal genommen' }));
  await waitFor(async () => expect((await field()).value).toBe('Die Pumpe läuft. Fast.'));
});

it('Copies the approved text of an approved post and says so, whatever is typed (posts)', async () => {
  const { user } = open([deskPost(APPROVED)]);
  await user.type(await field(), ' Fast.');
  await user.click(screen.getByRole('button', { name: 'Freigegebenen Text kopieren' }));
  expect(await navigator.clipboard.readText()).toBe('Die Pumpe läuft.');
});

it.each([
  ['draft', false],
  ['in_review', true],
  ['approved', true],
  ['changes_requested', true],
  ['declined', true],
] as const)('Says of a post that is %s whether saving ends its review: %s (posts)', async (state, ends) => {
  open([deskPost({ state })]);
  await field();
  const text = 'Speichern macht daraus wieder einen Entwurf. Dann braucht er eine neue Freigabe.';
  expect(screen.queryByText(text) !== null).toBe(ends);
});

const list = (posts: readonly DeskPost[]) => ({ posts, link: null, mailWaiting: false });

it('Keeps unsaved text in sight where somebody else removes its post, until it is dropped (posts)', async () => {
  let posts = [deskPost(), deskPost({ id: 2, channel: 'x', body: 'Kurz.' })];
  const { user } = open([], { desk_posts: () => list(posts) });
  await user.type(await field(), ' Und wie.');
  posts = posts.slice(1);
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  await waitFor(async () => expect((await field()).value).toBe('Kurz.'));
  expect(screen.getByText('Die Pumpe läuft. Und wie.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Verwerfen' }));
  expect(screen.queryByText('Die Pumpe läuft. Und wie.')).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Post anlegen' }));
  expect(openDraftStore(STUB_USER.id).read(1)).toBeUndefined();
});

it('Says at a save that the post is gone, not its contribution, and keeps the text in sight (posts)', async () => {
  const held = Promise.withResolvers<unknown>();
  const lists: unknown[] = [list([deskPost()]), held.promise];
  const { user } = open([], { desk_posts: () => lists.shift(), desk_post_save: () => refusal(404, 'PT404') });
  await user.type(await field(), ' Und wie.');
  await user.click(screen.getByRole('button', { name: 'Speichern' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Diesen Post gibt es nicht mehr.');
  held.resolve(list([]));
  expect(await screen.findByText('Noch kein Post')).toBeTruthy();
  expect(screen.getByText('Die Pumpe läuft. Und wie.')).toBeTruthy();
});

it('Says at a save that the contributor has asked for a change meanwhile, shows it, and then saves (posts)', async () => {
  let post = deskPost({ state: 'in_review', sentVersion: 1, changedAt: 'first' });
  const { user } = open([], {
    desk_posts: () => list([post]),
    desk_post_save: ({ seen, body }: { seen: string; body: string }) =>
      seen === post.changedAt ? { ...post, ...deskPost({ version: 2, body }), state: 'draft' } : refusal(409, 'PT409'),
  });
  await user.type(await field(), ' Und wie.');
  post = deskPost({ state: 'changes_requested', sentVersion: 1, changedAt: 'second' });
  await user.click(screen.getByRole('button', { name: 'Speichern' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Jemand anderes war schneller.');
  expect(await screen.findByText('Änderung gewünscht')).toBeTruthy();
  expect(screen.getByDisplayValue('Die Pumpe läuft. Und wie.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Speichern' }));
  expect(await screen.findByText('Gespeichert')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

it('Drops the unsaved text of a post with the post (posts)', async () => {
  const { user } = open([deskPost()], { desk_post_remove: () => null });
  await user.type(await field(), ' Und wie.');
  await user.click(screen.getByRole('button', { name: 'Weitere Aktionen' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Entwurf löschen' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Entwurf löschen' }));
  expect(await screen.findByText('Noch kein Post')).toBeTruthy();
  expect(document.body.textContent).not.toContain('Und wie.');
  expect(openDraftStore(STUB_USER.id).read(1)).toBeUndefined();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Post anlegen' }));
});

const refuseMove = () =>
  Response.json({ code: '22023', message: 'state: changes_requested to published' }, { status: 400 });

it('Says that somebody was faster where the contributor asks for a change meanwhile, and shows it (posts)', async () => {
  let posts = [deskPost(APPROVED)];
  const { user } = open([], { desk_posts: () => list(posts), desk_post_move: refuseMove });
  await user.click(await screen.findByRole('button', { name: 'Veröffentlicht' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Wo steht der Post?' }));
  posts = [deskPost({ ...APPROVED, state: 'changes_requested' })];
  await user.type(dialog.getByLabelText(/^Adresse/), 'https://www.linkedin.com/posts/1');
  await user.click(dialog.getByRole('button', { name: 'Als veröffentlicht speichern' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('Jemand anderes war schneller.');
  await user.keyboard('{Escape}');
  expect(await screen.findByText('Änderung gewünscht')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Veröffentlicht' })).toBeNull();
});

it('Shows the address of a colleague who published it meanwhile, and replaces it only when told again (posts)', async () => {
  const [theirs, mine] = ['https://www.linkedin.com/posts/1', 'https://www.linkedin.com/posts/2'];
  let post = deskPost({ ...APPROVED, changedAt: 'first' });
  const { user, requests } = open([], {
    desk_posts: () => list([post]),
    desk_post_move: ({ seen, url }: { seen: string; url: string }) =>
      seen === post.changedAt
        ? { ...post, publishedUrl: url }
        : Response.json({ code: 'PT409', message: 'meanwhile' }, { status: 409 }),
  });
  await user.click(await screen.findByRole('button', { name: 'Veröffentlicht' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Wo steht der Post?' }));
  post = deskPost({ state: 'published', sentVersion: 1, publishedUrl: theirs, changedAt: 'second' });
  await user.type(dialog.getByLabelText(/^Adresse/), mine);
  await user.click(dialog.getByRole('button', { name: 'Als veröffentlicht speichern' }));
  expect(await dialog.findByText(new RegExp(`inzwischen unter ${theirs}`))).toBeTruthy();
  expect(dialog.queryByRole('alert')).toBeNull();
  await user.click(dialog.getByRole('button', { name: 'Als veröffentlicht speichern' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(requests.filter(({ name }) => name === 'desk_post_move')).toHaveLength(2);
});

it('Shows what is there where a post to be sent was stopped meanwhile (posts)', async () => {
  let posts = [deskPost()];
  const { user } = open([], { desk_posts: () => list(posts), desk_review_request: refuseMove });
  await user.click(await screen.findByRole('button', { name: 'Zur Freigabe senden' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Zur Freigabe senden?' }));
  posts = [deskPost({ state: 'declined' })];
  await user.click(dialog.getByRole('button', { name: '1 Post senden' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('Jemand anderes war schneller.');
  expect(await dialog.findByText('Noch ist kein Entwurf bereit.')).toBeTruthy();
});

it('Sends nothing that somebody else wrote while the dialog was open (posts)', async () => {
  let posts = [deskPost(), deskPost({ id: 2, channel: 'x' })];
  const { user, requests } = open([], { desk_posts: () => list(posts), desk_review_request: () => list(posts) });
  await user.click(await screen.findByRole('button', { name: 'Zur Freigabe senden' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Zur Freigabe senden?' }));
  expect(dialog.getByRole('button', { name: '2 Posts senden' })).toBeTruthy();
  posts = [
    deskPost(),
    deskPost({ id: 2, channel: 'x', version: 2, body: 'Halb fertig' }),
    deskPost({ id: 3, channel: 'instagram', body: 'Neu' }),
  ];
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  expect(await dialog.findByText('X: Jemand anderes hat eben daran geschrieben.')).toBeTruthy();
  expect(dialog.getByText('Instagram: Jemand anderes hat eben daran geschrieben.')).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: '1 Post senden' }));
  const sent = requests.find(({ name }) => name === 'desk_review_request');
  expect(sent?.args).toEqual({ contribution: 7, posts: [{ id: 1, version: 1 }] });
});

it('Sends what was being saved as the dialog opened (posts)', async () => {
  const held = Promise.withResolvers<unknown>();
  const { user } = open([deskPost()], { desk_post_save: () => held.promise });
  await user.type(await field(), '!');
  await user.click(screen.getByRole('button', { name: 'Speichern' }));
  await user.click(screen.getByRole('button', { name: 'Zur Freigabe senden' }));
  const saved = deskPost({ version: 2, body: 'Die Pumpe läuft.!' });
  held.resolve({ ...saved, current: { ...saved.current, by: STUB_USER.id } });
  expect(await screen.findByRole('button', { name: '1 Post senden' })).toBeTruthy();
});

it('Calls the own save no text of somebody else where the list shows it before its answer (posts)', async () => {
  const held = Promise.withResolvers<unknown>();
  let posts = [deskPost()];
  const { user, requests } = open([], { desk_posts: () => list(posts), desk_post_save: () => held.promise });
  await user.type(await field(), '!');
  await user.click(screen.getByRole('button', { name: 'Speichern' }));
  await user.type(await field(), '?');
  const saved = deskPost({ version: 2, body: 'Die Pumpe läuft.!' });
  posts = [saved];
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  await waitFor(() => expect(requests.filter(({ name }) => name === 'GET /rest/v1/post_versions')).toHaveLength(2));
  expect(screen.queryByText('Jemand anderes hat inzwischen gespeichert')).toBeNull();
  held.resolve(saved);
  await waitFor(() => expect(screen.queryByText('Speichere...')).toBeNull());
  expect(screen.queryByText('Jemand anderes hat inzwischen gespeichert')).toBeNull();
  expect((await field()).value).toBe('Die Pumpe läuft.!?');
  expect(openDraftStore(STUB_USER.id).read(1)).toMatchObject({ version: 2, body: 'Die Pumpe läuft.!?' });
});

it('A save leaves what another tab of the same account has kept of the post (posts)', async () => {
  const held = Promise.withResolvers<unknown>();
  const { user } = open([deskPost()], { desk_post_save: () => held.promise });
  await user.type(await field(), '!');
  await user.click(screen.getByRole('button', { name: 'Speichern' }));
  const store = openDraftStore(STUB_USER.id);
  store.keep(1, { version: 1, body: 'Aus dem anderen Fenster', pictures: [] });
  held.resolve(deskPost({ version: 2, body: 'Die Pumpe läuft.!' }));
  expect(await screen.findByText('Gespeichert')).toBeTruthy();
  expect(store.read(1)).toMatchObject({ version: 1, body: 'Aus dem anderen Fenster' });
});

it('Offers a retry where the posts cannot be read (posts)', async () => {
  let fails = true;
  const { user } = open([], {
    desk_posts: () => (fails ? refusal(500, 'XX000') : { posts: [], link: null, mailWaiting: false }),
  });
  await screen.findByRole('alert');
  fails = false;
  await user.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
  expect(await screen.findByText('Noch kein Post')).toBeTruthy();
});

it('Offers to take back what another version replaced, until it is saved (posts)', async () => {
  const versions = [{ version: 1, body: 'Die erste.', pictures: [], origin: 'person', model: null, created_at: AT }];
  const { user } = open([deskPost({ version: 2, body: 'Die zweite.' })], {
    'GET /rest/v1/post_versions': () => versions,
  });
  const text = await field();
  await user.clear(text);
  await user.type(text, 'Mein Text.');
  await user.click(await screen.findByRole('button', { name: 'Fassung 1' }));
  await user.click(await screen.findByRole('button', { name: 'Diese Fassung übernehmen' }));
  expect(text.value).toBe('Die erste.');
  await user.click(screen.getByRole('button', { name: 'Text zurückholen' }));
  expect(text.value).toBe('Mein Text.');
  expect(screen.queryByRole('button', { name: 'Text zurückholen' })).toBeNull();
  expect(document.activeElement).toBe(text);
});

it('Takes back one text after the other where two versions replaced them (posts)', async () => {
  const version = (number: number, body: string) =>
    ({ version: number, body, pictures: [], origin: 'person', model: null, created_at: AT }) as const;
  const { user } = open([deskPost({ version: 3, body: 'Die dritte.' })], {
    'GET /rest/v1/post_versions': () => [version(2, 'Die zweite.'), version(1, 'Die erste.')],
  });
  const text = await field();
  await user.clear(text);
  await user.type(text, 'Mein Text.');
  for (const name of ['Fassung 1', 'Fassung 2']) {
    await user.click(await screen.findByRole('button', { name }));
    await user.click(screen.getByRole('button', { name: 'Diese Fassung übernehmen' }));
  }
  expect(text.value).toBe('Die zweite.');
  await user.click(screen.getByRole('button', { name: 'Text zurückholen' }));
  expect(text.value).toBe('Die erste.');
  await user.click(screen.getByRole('button', { name: 'Text zurückholen' }));
  expect(text.value).toBe('Mein Text.');
  expect(screen.queryByRole('button', { name: 'Text zurückholen' })).toBeNull();
});

it('Says that the mail with the link was refused once that is known, without a reload (posts)', async () => {
  const refused = { id: 1, at: AT, by: '', what: 'mail', from: 'review', to: 'refused', text: '550' } as const;
  const review = [deskPost({ state: 'in_review', sentVersion: 1 })];
  let mailWaiting = true;
  const { requests } = renderDesk(() => <ContributionScreen id={7} address="?ansicht=posts" />, {
    answers: {
      desk_contribution: () =>
        deskContribution({ posts: { approved: 0, changes: 0, total: 1 }, events: mailWaiting ? [] : [refused] }),
      desk_inbox: () => deskPage(),
      desk_posts: () => ({ posts: review, link: LINK, mailWaiting }),
      'GET /rest/v1/post_versions': () => [],
    },
  });
  await screen.findByText('Die E-Mail mit dem Link geht gleich hinaus.');
  mailWaiting = false;
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  await screen.findByText(/^Freigabe-Link verschickt: /);
  await waitFor(() => expect(requests.filter(({ name }) => name === 'desk_contribution')).toHaveLength(2));
  expect(await screen.findByText('Die letzte E-Mail kam nicht an')).toBeTruthy();
});

it('Focuses the text that was begun from the material, as its button goes (WCAG 2.4.3)', async () => {
  const { user } = open([deskPost({ body: '' })], {}, { answers: { what: 'Eine Prüfmaschine' } });
  await user.click(await screen.findByRole('button', { name: 'Aus dem Material beginnen' }));
  expect(screen.queryByRole('button', { name: 'Aus dem Material beginnen' })).toBeNull();
  expect(document.activeElement).toBe(await field());
});

it('Offers no beginning from material that has no words, as of photos (posts)', async () => {
  open([deskPost({ body: '' })], {}, { kind: 'image', transcript: null, answers: null });
  await field();
  expect(screen.queryByRole('button', { name: 'Aus dem Material beginnen' })).toBeNull();
});

it.each(['Mit meiner weiterarbeiten', 'Gespeicherte übernehmen'])(
  'Focuses the text after "%s", as the notice goes (WCAG 2.4.3)',
  async (name) => {
    openDraftStore(STUB_USER.id).keep(1, { version: 1, body: 'Mein Text.', pictures: [] });
    const { user } = open([deskPost({ version: 2, body: 'Die zweite.' })]);
    await user.click(await screen.findByRole('button', { name }));
    expect(screen.queryByText('Jemand anderes hat inzwischen gespeichert')).toBeNull();
    expect(document.activeElement).toBe(await field());
  },
);

it('Says no longer which state a post has once it has another (posts)', async () => {
  const { user } = open([deskPost({ state: 'approved', sentVersion: 1 })], {
    desk_post_move: ({ state }: { state: PostState }) => deskPost({ state, sentVersion: 1 }),
    desk_post_save: () => deskPost({ state: 'in_review', version: 2, sentVersion: 2 }),
  });
  await field();
  await user.click(screen.getByRole('button', { name: 'Weitere Aktionen' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Zurückholen' }));
  expect(await screen.findByText('Status ist jetzt „Entwurf“.')).toBeTruthy();
  await user.type(await field(), ' Und wie.');
  await user.click(screen.getByRole('button', { name: 'Speichern' }));
  await waitFor(() => expect(screen.queryByText('Status ist jetzt „Entwurf“.')).toBeNull());
});

it.each<[PostState, boolean]>([
  ['published', true],
  ['declined', false],
  ['draft', false],
])('Asks to take a withdrawn post out of its channel while it is published: %s, %s (posts)', async (state, asks) => {
  open([deskPost({ state, sentVersion: 1, withdrawnAt: AT })]);
  await field();
  expect(screen.queryByText('Bitte aus dem Kanal nehmen') !== null).toBe(asks);
  expect(screen.queryByText('Zurückgezogen') !== null).toBe(asks);
});

it.each<[PostState, string, string]>([
  ['published', 'Adresse ändern', 'https://kanal.test/1'],
  ['approved', 'Veröffentlicht', ''],
])(
  'Offers the address of a post that is published, not that of an earlier publication: %s (posts)',
  async (...given) => {
    const [state, action, address] = given;
    const { user } = open([deskPost({ state, sentVersion: 1, publishedUrl: 'https://kanal.test/1' })]);
    await user.click(await screen.findByRole('button', { name: action }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByRole<HTMLInputElement>('textbox').value).toBe(address);
  },
);
