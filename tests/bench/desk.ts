import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import type { DeskQuery } from '#contract/desk.ts';
import { median } from '#tests/support/percentile.ts';
import { deskScreenRow } from './desk-screen.ts';
import { ceiling, type Row } from './table.ts';
import type { Subject } from './subject.ts';

const MANY = 100_000;
const TEXTS = 3_000;
const CALLS = 15;
const MOST_MS = 90;

/**
 * The inbox over 100,000 contributions with transcripts of 150 words, every eighth of 1,200, asked for as the browser
 * does.
 */
const QUESTIONS: readonly (readonly [string, DeskQuery])[] = [
  ['first page', {}],
  ['filters: area, two kinds, complete', { areas: ['firma-a'], kinds: ['image', 'interview'], finished: true }],
  ['a state with few in it', { states: ['rejected'] }],
  ['by contributor', { sort: 'contributor' }],
  ['incomplete ones, oldest first', { finished: false, sort: 'oldest' }],
  ['search: a rare word', { search: 'Sonderfall4711' }],
  ['search: two words and a filter', { search: 'Turbine Messung', areas: ['firma-b'], sort: 'changed' }],
  ['search: a word in nearly all of them', { search: 'Lager' }],
  ['search: the same by contributor', { search: 'Lager', sort: 'contributor' }],
  ['search: the same in a state with few in it', { search: 'Lager', states: ['rejected'] }],
  ['search: without such a word', { search: '-Lager' }],
  ['search: words with umlauts', { search: 'Prüfung Qualität schweißen' }],
  ['search: the beginning of words that a tenth has', { search: 'Fachab' }],
  ['search: an ending of words that nearly all have', { search: 'bung' }],
  ['search: a phrase of two such words', { search: '"Lager Welle"' }],
  ['search: such words, hardly ever as a phrase', { search: '"Lager Welle Lager"' }],
];

export async function deskRows(subject: Subject, databaseUrl: string): Promise<Row[]> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await fillInbox(database);
    const client = await signInToDesk(subject);
    const rows: Row[] = [];
    for (const [name, query] of QUESTIONS) {
      rows.push(ceiling(`inbox query at 100,000, ${name}`, await timeQuestion(client, query), 'ms', MOST_MS));
    }
    rows.push(await deskScreenRow(subject));
    return rows;
  } finally {
    await database.query('truncate public.interviews cascade');
    await database.end();
  }
}

export async function signInToDesk(subject: Subject): Promise<SupabaseClient> {
  const client = createClient(subject.url, subject.key, { auth: { persistSession: false, autoRefreshToken: false } });
  const { error } = await client.auth.signInWithPassword(subject.findAccount('admin'));
  if (error) throw error;
  return client;
}

/** Every question to the inbox, once. */
export async function askInbox(subject: Subject): Promise<void> {
  const client = await signInToDesk(subject);
  for (const [, query] of QUESTIONS) {
    const { error } = await client.rpc('desk_inbox', { query });
    if (error) throw new Error(error.message);
  }
}

async function timeQuestion(client: SupabaseClient, query: DeskQuery): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const begun = performance.now();
    const answer = await client.rpc('desk_inbox', { query });
    if (answer.error) throw new Error(answer.error.message);
    times.push(performance.now() - begun);
  }
  return median(times);
}

const WORDS = `'Lager Welle Maschine Turbine Projekt Ingenieur Brücke Beton Stahl Messung Prüfung Anlage Strom Wasser Druck Temperatur
  Sensor Software Roboter Getriebe Motor Fertigung Qualität Kunde Werkstatt Zeichnung Entwurf Planung Bauteil Schweißen Fräsen drehen
  messen prüfen bauen entwickeln konstruieren schnell groß klein neu alt stark leise sicher teuer günstig heute gestern immer'`;

/** Past the triggers and with the index built last: what is measured is the reading. */
export async function fillInbox(database: pg.Client, contributions = MANY): Promise<void> {
  await database.query('truncate public.interviews cascade');
  await database.query('set session_replication_role = replica');
  await database.query(
    `create temp table if not exists texts as
     select t, string_agg(
       case
         when random() < 0.3 then (array['und', 'die', 'der', 'das', 'ist', 'wir', 'haben', 'mit', 'ich',
           'ein'])[1 + floor(random() * 10 + 0 * t)::int]
         when random() < 0.6 then common.words[1 + floor(random() ^ 2 * 50)::int]
         else 'fach' || chr(97 + floor(random() * 26)::int) || chr(97 + floor(random() * 26)::int) || chr(97 + floor(random() * 26)::int) || 'ung'
       end, ' ') as text
     from generate_series(1, $1::int) as t, generate_series(1, case when t % 8 = 0 then 1200
       else 150 end) as w, (select regexp_split_to_array(${WORDS}, '\\s+') as words) as common
     group by t`,
    [TEXTS],
  );
  await database.query(
    `insert into public.interviews (id, transcript, created_at, contact_first_name, contact_last_name, contact_email)
     select n, x.text || ' Sonderfall' || n % 5000, now() - make_interval(secs => n * 70),
       'Ada' || n % 700, 'Lovelace' || n % 900, case when n % 3 > 0 then 'ada' || n || '@beispiel.test' end
     from generate_series(1, $1::int) as n join texts as x on x.t = 1 + n % $2::int`,
    [contributions, TEXTS],
  );
  await database.query(
    `insert into private.desk_items (interview_id, area, kind, contributor, created_at, changed_at, finished, files,
      state)
     select id, (array['generic', 'firma-a', 'firma-b', 'testnormec'])[1 + id % 4], (array['interview', 'voice_message',
       'image', 'video', 'document'])[1 + id % 5],
       contact_first_name || ' ' || contact_last_name, created_at, created_at, contact_email is not null, 2,
       case when id % 1000 = 0 then 'rejected' when id % 7 = 0 then 'in_progress' else 'new' end
     from public.interviews`,
  );
  const { rows } = await database.query<{ name: string; sql: string }>(
    `select c.oid::regclass::text as name, pg_get_indexdef(c.oid) as sql
     from pg_index as x join pg_class as c on c.oid = x.indexrelid join pg_am as m on m.oid = c.relam
     where x.indrelid = 'private.desk_search'::regclass and m.amname = 'gin'`,
  );
  for (const { name } of rows) await database.query(`drop index ${name}`);
  await database.query(
    `insert into private.desk_search (interview_id, area, kind, finished, state, created_at, words)
     select i.id, d.area, d.kind, d.finished, d.state, d.created_at,
       private.desk_words(concat_ws(' ', transcript, contact_first_name, contact_last_name, contact_email))
     from public.interviews as i join private.desk_items as d on d.interview_id = i.id order by i.id`,
  );
  await database.query(`set maintenance_work_mem = '256MB'`);
  for (const { sql } of rows) await database.query(sql);
  await database.query('alter index if exists private.desk_search_pairs_idx alter column 1 set statistics 0');
  await database.query('set session_replication_role = origin');
  for (const table of ['public.interviews', 'private.desk_items', 'private.desk_search'])
    await database.query(`vacuum analyze ${table}`);
}
