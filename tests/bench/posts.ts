import { createHash, randomBytes } from 'node:crypto';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Page } from '@playwright/test';
import pg from 'pg';
import { PostSchema, type Post } from '#contract/posts.ts';
import { makeLongMaterial } from '#tests/support/evidence-pairs.ts';
import { median } from '#tests/support/percentile.ts';
import { openDesk, weighPage, withPage } from './browser.ts';
import type { Subject } from './subject.ts';
import { ceiling, type Row } from './table.ts';

const OWN = 10_000;
const CALLS = 15;
const KEYS = 12;
const OWN_MS = 100;
const REVIEW_KILOBYTES = 120;
/** One frame of a screen with 60 in a second. */
const FRAME_MS = 16;
const WORKER_MS = 50;
const MICROSECONDS = 1_000;

/** The review page, 'Meine Beiträge' of somebody who contributed much, and typing beside much material. */
export async function postRows(subject: Subject, databaseUrl: string): Promise<Row[]> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query('truncate public.interviews cascade');
    const admin = await signIn(subject, 'admin');
    const { transcript, body } = await makeLongMaterial();
    const much = await addPost(admin, await contribute(database, transcript), '');
    const ordinary = await addPost(admin, await contribute(database, transcript.slice(0, 2_000)), body.slice(0, 600));
    return [
      ...(await typingRows(subject, much.contribution, body)),
      ...(await reviewRows(subject, admin, ordinary)),
      ...(await ownRows(subject, database)),
    ];
  } finally {
    await database.query('truncate public.interviews cascade');
    await database.end();
  }
}

async function signIn({ url, key, findAccount }: Subject, role: string): Promise<SupabaseClient> {
  const client = createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });
  const { error } = await client.auth.signInWithPassword(findAccount(role));
  if (error) throw error;
  return client;
}

async function contribute(database: pg.Client, transcript: string): Promise<number> {
  const { rows } = await database.query<{ id: string }>(
    `insert into public.interviews (transcript, contact_first_name, contact_email)
     values ($1, 'Ada', 'ada@beispiel.test') returning id`,
    [`Du: ${transcript}`],
  );
  return Number(rows[0]?.id);
}

async function addPost(admin: SupabaseClient, contribution: number, body: string): Promise<Post> {
  const { data, error } = await admin.rpc('desk_post_add', { contribution, channel: 'linkedin', body });
  if (error) throw new Error(error.message);
  return PostSchema.parse(data);
}

/** Until one can answer. */
async function reviewRows(
  subject: Subject,
  admin: SupabaseClient,
  { id, version, contribution }: Post,
): Promise<Row[]> {
  const key = randomBytes(32).toString('base64url');
  const sent = await admin.rpc('desk_review_send', {
    contribution,
    posts: [{ id, version }],
    key_hash: createHash('sha256').update(key).digest('hex'),
  });
  if (sent.error) throw new Error(sent.error.message);
  const { scripts, all } = await weighPage(`${subject.url}/freigabe#k=${key}`, 'Passt so');
  return [
    ceiling('review: scripts and styles until one can answer, gzip', scripts, 'kB', REVIEW_KILOBYTES),
    ceiling('review: everything until one can answer, with page, fonts and texts', all, 'kB'),
  ];
}

async function ownRows(subject: Subject, database: pg.Client): Promise<Row[]> {
  const client = await signIn(subject, 'firma_a');
  const { data } = await client.auth.getUser();
  await database.query(
    `insert into public.interviews (user_id, transcript, created_at)
     select $1, repeat('Wort ', 150), now() - make_interval(mins => n) from generate_series(1, $2::int) as n`,
    [data.user?.id, OWN],
  );
  await database.query(
    `insert into public.posts (interview_id, channel) select id, 'linkedin' from public.interviews where id % 3 = 0`,
  );
  await database.query('vacuum analyze public.interviews, public.posts, private.desk_items');
  const page = async (given: object): Promise<Readonly<{ createdAt: string; id: number }>[]> => {
    const answer = await client.rpc('own_contributions', given);
    if (answer.error) throw new Error(answer.error.message);
    return answer.data as { createdAt: string; id: number }[];
  };
  const middle = await database.query<{ at: string; id: string }>(
    `select created_at as at, id from public.interviews order by created_at desc offset $1 limit 1`,
    [OWN / 2],
  );
  const after = { before_at: middle.rows[0]?.at, before_id: middle.rows[0]?.id };
  return [
    ceiling('own contributions at 10,000, first page', await timeCalls(() => page({})), 'ms', OWN_MS),
    ceiling('own contributions at 10,000, in the middle', await timeCalls(() => page(after)), 'ms', OWN_MS),
  ];
}

async function timeCalls(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < CALLS; count += 1) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  return median(times);
}

type TraceEvent = Readonly<{ name: string; pid: number; tid: number; tdur?: number; args?: object }>;

/** What the worker's first look at a long text costs it, and what a key costs the thread that shows it after that. */
async function typingRows(subject: Subject, contribution: number, body: string): Promise<Row[]> {
  return withPage(async (page) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await openDesk(page, subject);
    await page.goto(`${subject.url}/admin/eingang/${contribution}?ansicht=posts`);
    const field = page.getByLabel('Text', { exact: true });
    // The index of the material is there.
    await field.fill('Das steht in Halle 7.');
    await expectEvidence(page);
    const looking = await traceThreads(page, 'DedicatedWorker', async () => {
      await field.fill(body.slice(0, 3_000));
      await expectEvidence(page);
    });
    await field.fill(body.slice(0, 2_900));
    await expectEvidence(page);
    await field.press('ControlOrMeta+End');
    const typing = await traceThreads(page, 'CrRendererMain', async () => {
      for (let count = 0; count < KEYS; count += 1) {
        await page.keyboard.press('x');
        await page.waitForTimeout(400);
      }
    });
    return [
      ceiling(
        'evidence: first look at 3,000 characters in 200,000, task of the browser’s worker',
        Math.max(...looking),
        'ms',
        WORKER_MS,
      ),
      ceiling(
        'evidence: longest task of the main thread while typing, 200,000 characters',
        Math.max(...typing),
        'ms',
        FRAME_MS,
      ),
    ];
  });
}

/** Processor time of each task of the threads with that name meanwhile, in ms: a busy machine makes it no longer. */
async function traceThreads(page: Page, thread: string, work: () => Promise<void>): Promise<number[]> {
  const browser = page.context().browser();
  await browser?.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
  await work();
  const { traceEvents } = JSON.parse(String(await browser?.stopTracing())) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && JSON.stringify(args).includes(thread))
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(
      ({ name, pid, tid, tdur }) => name.endsWith('RunTask') && tdur !== undefined && threads.has(`${pid} ${tid}`),
    )
    .map(({ tdur = 0 }) => tdur / MICROSECONDS);
}

async function expectEvidence(page: Page): Promise<void> {
  await page.getByText(/^(Alle Angaben sind belegt\.|\d+ Angaben? (ist|sind) nicht belegt:)$/).waitFor();
}
