import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { archivePath, DESK_PATH, TicketSchema } from '#contract/desk-files.ts';
import { deskApi, type DeskCall } from '#tests/support/desk-calls.ts';
import { enterAs } from '#tests/support/first-accounts.ts';
import { median } from '#tests/support/percentile.ts';
import { runBackup } from './backup.ts';
import { fillInbox, signInToDesk } from './desk.ts';
import { formatGrowth, type Series } from './growth-table.ts';
import { describeMachine, watchMachine } from './machine.ts';
import { getDatabaseUrl, loadRest, WORK } from './rest.ts';
import { startSubject } from './subject.ts';
import { timed } from './transfer.ts';
import { storeSmallFiles } from './uploads.ts';

/**
 * `npm run growth [-- --up-to 1000000]`: what a call costs as contributions, clients and files of a contribution grow,
 * with the exponent of the line through the points (1: twice the data, twice the cost).
 */
const { values } = parseArgs({ options: { 'up-to': { type: 'string', default: '100000' } } });
const UP_TO = Number(values['up-to']);
const CONTRIBUTIONS = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= UP_TO);
const CLIENTS = [1, 2, 4, 8, 16, 32, 64];
const FILES = [1, 10, 50, 200];
const CALLS = 15;
const ERASURES = 5;

type Measure = readonly [what: string, cost: () => Promise<number>];

const subject = await startSubject();
const database = new pg.Client({ connectionString: await getDatabaseUrl(subject.dataDir) });
await database.connect();
try {
  const { result, machine } = await watchMachine(async () => [
    await measure('files of a contribution', FILES, measureFiles),
    await measure('clients', CLIENTS, (clients) =>
      Promise.resolve([['REST select of 20 rows', () => perRequest(clients)]]),
    ),
    await measure('contributions', CONTRIBUTIONS, measureContributions),
  ]);
  process.stdout.write(`${result.map(formatGrowth).join('\n')}\n${describeMachine(machine)}\n`);
} finally {
  await database.end();
  await subject.stop();
}

/** The cost of each measure at each size, in ms. */
async function measure(
  of: string,
  sizes: readonly number[],
  prepare: (size: number) => Promise<readonly Measure[]>,
): Promise<Series> {
  const costs = new Map<string, number[]>();
  for (const size of sizes) {
    for (const [what, cost] of await prepare(size)) costs.set(what, [...(costs.get(what) ?? []), await cost()]);
    process.stderr.write(`${of}: ${size}\n`);
  }
  return { of, sizes, costs: [...costs] };
}

/** Milliseconds of the whole server's time for one request. */
async function perRequest(clients: number): Promise<number> {
  return 1_000 / (await loadRest(subject, WORK.select, clients));
}

async function measureContributions(size: number): Promise<readonly Measure[]> {
  await fillInbox(database, size);
  const admin = await signInToDesk(subject);
  const call = await deskApi(subject.url, await enterAs(subject.url, subject.dataDir, 'admin'));
  await database.query(`select setval(pg_get_serial_sequence('public.interviews', 'id'), $1)`, [size]);
  await database.query('set session_replication_role = replica');
  await database.query(
    `update public.interviews set user_id = a.ids[1 + id % cardinality(a.ids)]
       from (select array_agg(user_id order by user_id) as ids from public.user_roles) as a`,
  );
  await database.query(
    `update private.desk_items as d set user_id = i.user_id from public.interviews as i where i.id = d.interview_id`,
  );
  await database.query('set session_replication_role = origin');
  await database.query('vacuum analyze');
  const ask =
    (client: SupabaseClient, name: string, given: object): (() => Promise<number>) =>
    () =>
      timeCalls(CALLS, async () => throwIfRefused(await client.rpc(name, given)));
  const inbox = (query: object): (() => Promise<number>) => ask(admin, 'desk_inbox', { query });
  const erased = Array.from({ length: ERASURES }, (_, index) => Math.floor((size * (index + 1)) / (ERASURES + 1)));
  return [
    ['insert of a contribution', () => timeCalls(CALLS, addContribution)],
    ['own contributions, a page', ask(subject.client, 'own_contributions', {})],
    ['inbox, a page', inbox({})],
    ['search: a rare word', inbox({ search: 'Sonderfall4711' })],
    ['search: a word in nearly all', inbox({ search: 'Lager' })],
    ['statistics', ask(admin, 'admin_statistics', {})],
    ['activity of 12 weeks', ask(admin, 'admin_activity', { weeks: 12 })],
    ['erasure of a contribution', () => timeCalls(ERASURES, () => erase(call, erased.pop() ?? 0))],
    ['backup', () => backUp()],
  ];
}

async function addContribution(): Promise<void> {
  throwIfRefused(await subject.client.from('interviews').insert({ transcript: 'Wachstum' }));
}

async function measureFiles(count: number): Promise<readonly Measure[]> {
  const admin = await signInToDesk(subject);
  const call = await deskApi(subject.url, await enterAs(subject.url, subject.dataDir, 'admin'));
  let contribution = 0;
  const show = async (): Promise<void> => throwIfRefused(await admin.rpc('desk_contribution', { id: contribution }));
  return [
    [
      'storing and registering them',
      () => timed(async () => void (contribution = await storeSmallFiles(subject, count))),
    ],
    ['the contribution at the desk', () => timeCalls(CALLS, show)],
    [
      'own contributions, a page',
      () => timeCalls(CALLS, async () => throwIfRefused(await subject.client.rpc('own_contributions', {}))),
    ],
    ['all as a ZIP', () => timeCalls(ERASURES, () => downloadAll(call, contribution))],
    ['erasure of the contribution', () => timed(() => erase(call, contribution))],
  ];
}

async function downloadAll(call: DeskCall, contribution: number): Promise<void> {
  const { url } = TicketSchema.parse(
    (await call('POST', `${DESK_PATH}/tickets`, { path: archivePath(contribution) })).body,
  );
  const answer = await fetch(`${subject.url}${url}`);
  if (!answer.ok) throw new Error(`the archive was refused with ${answer.status}`);
  await answer.arrayBuffer();
}

/** Until its row is gone. */
async function erase(call: DeskCall, contribution: number): Promise<void> {
  const { status } = await call('POST', `${DESK_PATH}/erasures`, { contribution });
  if (status >= 300) throw new Error(`the erasure was refused with ${status}`);
  while ((await database.query('select from public.interviews where id = $1', [contribution])).rowCount !== 0);
}

async function backUp(): Promise<number> {
  const file = path.join(subject.dataDir, '..', `growth-${subject.pid}.tar`);
  try {
    return await timed(() => runBackup('backup', subject.dataDir, file));
  } finally {
    await rm(file, { force: true });
  }
}

function throwIfRefused({ error }: Readonly<{ error: { message: string } | null }>): void {
  if (error !== null) throw new Error(error.message);
}

async function timeCalls(calls: number, work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) times.push(await timed(work));
  return median(times);
}
