import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { change, contribute, look } from '#tests/support/desk.ts';
import { must } from '#tests/support/desk-calls.ts';
import { addPost, sendForReview } from '#tests/support/posts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { enterWithSession, expect, test } from './application.ts';
import { listen } from './canary.ts';
import { getRows, openInbox, picture, storeFile, toInbox } from './desk.ts';
import { walkTo } from './flow.ts';

test.use({ apart: 'canaries', viewport: { width: 1280, height: 900 } });

/** A text that runs where it is taken for HTML, in a text or in an attribute; `where` is the field it stands in. */
const sing = (where: string): string =>
  `${where} "><img src=/canary onerror="canary('${where}')"><script>canary('${where}')</script>{{7*7}}`;

/** A contribution of the member that sings in every text there is, up to the review of its post. */
async function handInCanaries(server: TestServer, member: Readonly<{ id: string; email: string }>) {
  const { client: admin } = await createUser(server, { role: 'admin' });
  const answers = Object.fromEntries(['who', 'what', 'when', 'where', 'why'].map((name) => [name, sing(name)]));
  const id = await contribute(server, {
    userId: member.id,
    userEmail: member.email,
    transcript: `Interviewer: ${sing('question')}\n\nDu: ${sing('transcript')}`,
    answers,
    firstName: sing('first'),
    lastName: sing('last'),
    email: 'kanarie@beispiel.test',
    turns: [sing('turn')],
    origin: { area: 'firma-a', kind: 'interview', topic: 'tech-dive' },
  });
  await storeFile(server, id, { path: 'halle.png', type: 'image/png', bytes: picture(64, 42, [46, 96, 160]) });
  await asOwner(server.databaseUrl, (client) =>
    client.query('update media_uploads set original_name = $2 where interview_id = $1', [
      id,
      sing('file').replaceAll('/', '-'),
    ]),
  );
  await change(admin, { id, version: (await look(admin, id)).version, change: { note: sing('note') } });
  const post = await addPost(admin, id, sing('post'));
  const { key, reader } = await sendForReview(server, admin, id, [post]);
  await must(reader.rpc('review_open'));
  const answer = { post: post.id, version: 1, answer: 'change', comment: sing('comment') };
  await must(reader.rpc('review_answer', answer));
  return { id, key };
}

async function shows(page: Page, ...fields: readonly string[]): Promise<void> {
  const read = (): Promise<string> =>
    page.evaluate(() =>
      [document.body.innerText, ...Array.from(document.querySelectorAll('textarea'), ({ value }) => value)].join('\n'),
    );
  for (const field of fields) await expect.poll(read, field).toContain(`${field} "><img`);
}

test('threat 9: scripts in every text of a contribution are shown as text, and none runs', async ({
  page,
  context,
  server,
}) => {
  const heard = await listen(context);
  const member = await createUser(server, { role: 'firma_a' });
  const { id, key } = await handInCanaries(server, member);

  await page.goto(`/freigabe#k=${key}`);
  await shows(page, 'post');
  await enterWithSession(page, server, member, '/meine-beitraege');
  await expect(page.getByText('Deine Beiträge werden geladen...')).toHaveCount(0);

  await page.evaluate(() => localStorage.clear());
  await toInbox(page, server, `?suche=${encodeURIComponent(sing('transcript'))}`);
  await openInbox(page);
  await expect(getRows(page).first()).toContainText('first "><img');
  await walkTo(page, '/admin/eingang/tafel');
  await shows(page, 'first');
  await walkTo(page, `/admin/eingang/${id}`);
  await shows(page, 'first', 'transcript', 'who', 'note');
  await page.getByText('Zu den Posts').click();
  await shows(page, 'post', 'comment');
  expect(heard).toEqual([]);
});

const CODE = /\.(?:js|css|html|json|webmanifest|svg|map)$/;

/** Whatever of the built application a browser can fetch. */
async function readBuild(): Promise<readonly (readonly [string, string])[]> {
  const files = (await readdir('dist/web', { recursive: true })).filter((file) => CODE.test(file));
  return Promise.all(files.map(async (file) => [file, await readFile(path.join('dist/web', file), 'utf8')] as const));
}

/** What only the server may know. */
async function findSecrets({ backend, databaseUrl }: TestServer): Promise<Readonly<Record<string, string>>> {
  const stored = await asOwner(databaseUrl, (client) =>
    client.query<{ value: { signing: { d: string }[]; url: string } }>(
      `select value from _backend.secrets where name = 'keys'`,
    ),
  );
  const { signing = [], url = '' } = stored.rows[0]?.value ?? {};
  return {
    'service key': backend.keys.secretKey,
    'private half of the signing key': signing[0]?.d ?? '',
    'key of signed addresses': url,
    'key of the transcription service': 'pruefschluessel',
    'password of the database': new URL(databaseUrl).password,
  };
}

test('threat 6: nothing that a browser gets holds a secret of the server', async ({ page, server, loginAs }) => {
  const answers: Promise<readonly [string, string]>[] = [];
  page.on('response', (response) => {
    const text = response.text().catch(() => '');
    answers.push(text.then((body) => [response.url(), JSON.stringify(response.headers()) + body] as const));
  });
  await page.goto('/login');
  await loginAs('admin');
  for (const place of ['/admin/benutzer', '/admin/einrichtung', '/admin/eingang', '/interview/tech-dive', '/konto']) {
    await walkTo(page, place);
    await page.waitForLoadState('networkidle');
  }
  for (const place of ['/config.json', '/health', '/auth/v1/settings', '/auth/v1/.well-known/jwks.json', '/rest/v1/'])
    await page.goto(place);
  const seen = [...(await Promise.all(answers)), ...(await readBuild())];
  // The search finds what may be there.
  expect(seen.some(([, text]) => text.includes(server.backend.keys.publishableKey))).toBe(true);
  for (const [name, secret] of Object.entries(await findSecrets(server))) {
    expect(secret.length, name).toBeGreaterThan(7);
    expect(
      seen.filter(([, text]) => text.includes(secret)).map(([where]) => where),
      name,
    ).toEqual([]);
  }
});
