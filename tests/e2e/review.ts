import type { SupabaseClient } from '@supabase/supabase-js';
import type { Locator, Page } from '@playwright/test';
import { PostSchema, type Post } from '#contract/posts.ts';
import { createUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { contribute } from '#tests/support/desk.ts';
import { must } from '#tests/support/desk-calls.ts';
import { sendForReview } from '#tests/support/posts.ts';
import { picture, storeFile } from './desk.ts';

export const LINKEDIN_TEXT = [
  'Jedes Bauteil in unter zwei Sekunden gemessen: Das schafft die neue Prüfmaschine in unserer Werkstatt.',
  'Früher ging jedes Teil zum Messraum. Heute misst die Maschine direkt neben der Drehbank, und das ' +
    'spart uns am Tag gut eine Stunde.',
  'Ein Besuch lohnt sich: https://www.beispiel.test/pruefmaschine',
  '#Maschinenbau #Messtechnik',
].join('\n\n');

const INSTAGRAM_TEXT =
  'Früher ging ein Teil zum Messraum, heute misst die Maschine direkt neben der Drehbank. ' +
  'Unser Team hat dafür fünf Monate getüftelt und ist stolz wie nie. #Werkstatt';

const WEBSITE_TEXT =
  'Eine Prüfmaschine, die mitdenkt\n\nWir haben in unserer Werkstatt eine neue Prüfmaschine gebaut. ' +
  'Sie misst jedes Bauteil in unter zwei Sekunden.';

export type OpenReview = Readonly<{
  contribution: number;
  admin: SupabaseClient;
  posts: readonly Post[];
  key: string;
  /** For the contributor's browser. */
  link: string;
}>;

/** A contribution whose posts were sent: LinkedIn with two pictures, Instagram with one, and a website. */
export async function openReview(
  server: TestServer,
  channels = ['linkedin', 'instagram', 'website'],
): Promise<OpenReview> {
  const { client: admin } = await createUser(server, { role: 'admin' });
  const contribution = await contribute(server, {
    transcript:
      'Interviewer: Was habt ihr gebaut?\n\n' +
      'Du: Wir haben in unserer Werkstatt eine neue Prüfmaschine gebaut. Sie misst jedes Bauteil in ' +
      'unter zwei Sekunden.\n\n' +
      'Interviewer: Wie kam es dazu?\n\n' +
      'Du: Früher ging ein Teil zum Messraum, heute misst die Maschine direkt neben der Drehbank. Das ' +
      'spart uns am Tag gut eine Stunde.',
    answers: { who: 'Das Team der Montage' },
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@beispiel.test',
    origin: { area: 'firma-a', kind: 'interview', topic: 'tech-dive' },
  });
  await storeFile(server, contribution, {
    path: 'halle.png',
    type: 'image/png',
    bytes: picture(640, 420, [46, 96, 160]),
  });
  await storeFile(server, contribution, {
    path: 'maschine.png',
    type: 'image/png',
    bytes: picture(420, 640, [150, 110, 60]),
  });
  const uploads = await listUploads(server, contribution);
  const pictures = [
    { upload: uploads[0], alt: 'Blick in die Werkstatt mit der Drehbank', used: true },
    { upload: uploads[1], alt: 'Die neue Prüfmaschine von vorn', used: true },
  ];
  const given = {
    linkedin: { body: LINKEDIN_TEXT, pictures },
    instagram: { body: INSTAGRAM_TEXT, pictures: pictures.slice(1) },
    website: { body: WEBSITE_TEXT, pictures: pictures.slice(0, 1) },
  };
  const posts: Post[] = [];
  for (const channel of channels) {
    const draft = channel in given ? given[channel as keyof typeof given] : given.website;
    posts.push(PostSchema.parse(await must(admin.rpc('desk_post_add', { contribution, channel, ...draft }))));
  }
  const { key } = await sendForReview(server, admin, contribution, posts);
  return { contribution, admin, posts, key, link: `/freigabe#k=${key}` };
}

function listUploads(server: TestServer, contribution: number): Promise<readonly number[]> {
  return asOwner(server.databaseUrl, async (client) => {
    const rows = await client.query('select id from media_uploads where interview_id = $1 order by id', [contribution]);
    return rows.rows.map(({ id }: { id: unknown }) => Number(id));
  });
}

export function getCard(page: Page, channel: string): Locator {
  return page.getByRole('region', { name: channel, exact: true });
}

/** Past every policy: the answers in their order, as the team gets them. */
export function getAnswers(
  server: TestServer,
  contribution: number,
): Promise<readonly (readonly [string, string, string])[]> {
  return asOwner(server.databaseUrl, async (client) => {
    const rows = await client.query(
      `select p.channel, a.answer, a.comment from review_answers as a join posts as p on p.id = a.post_id
        where p.interview_id = $1 order by a.id`,
      [contribution],
    );
    return rows.rows.map((row: { channel: string; answer: string; comment: string }) => [
      row.channel,
      row.answer,
      row.comment,
    ]);
  });
}
