import { median } from '#tests/support/percentile.ts';
import { adminScreenRow } from './admin-screen.ts';
import { createClient } from '@supabase/supabase-js';
import pg from 'pg';
import { ceiling, type Row } from './table.ts';
import type { Subject } from './subject.ts';

const INTERVIEWS = 100_000;
const UPLOADS = 200_000;
const PEOPLE = 200;
const CALLS = 15;
const MOST_MS = 60;

/** D13: the admin's figures over 100,000 interviews and 200,000 uploads, asked for as the browser does. */
export async function adminRows(subject: Subject, databaseUrl: string): Promise<Row[]> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await fill(database);
    const client = createClient(subject.url, subject.key, { auth: { persistSession: false, autoRefreshToken: false } });
    const { error } = await client.auth.signInWithPassword(subject.findAccount('admin'));
    if (error) throw error;
    const time = async (name: string, args: object): Promise<number> => {
      const times: number[] = [];
      for (let call = 0; call < CALLS; call += 1) {
        const begun = performance.now();
        const answer = await client.rpc(name, args);
        if (answer.error) throw new Error(answer.error.message);
        times.push(performance.now() - begun);
      }
      return median(times);
    };
    const size = `${INTERVIEWS / 1_000}k interviews, ${UPLOADS / 1_000}k uploads, median`;
    return [
      ceiling(`admin_statistics: ${size}`, await time('admin_statistics', {}), 'ms', MOST_MS),
      ceiling(
        `admin_activity, all of it in 12 weeks: ${size}`,
        await time('admin_activity', { weeks: 12 }),
        'ms',
        MOST_MS,
      ),
      await adminScreenRow(subject),
    ];
  } finally {
    await database.query('delete from public.interviews where transcript = $1', ['Messreihe']);
    await database.query(`delete from auth.users where email like 'messung-%'`);
    await database.end();
  }
}

/** The hardest case for the charts: everything lies in the weeks they show. */
async function fill(database: pg.Client): Promise<void> {
  await database.query(
    `with people as (
       insert into auth.users (id, aud, role, email)
       select gen_random_uuid(), 'authenticated', 'authenticated', 'messung-' || n || '@beispiel.test'
         from generate_series(1, $1::int) as n
       returning id
     )
     insert into public.user_roles (user_id, role)
     select id, (array['firma_a', 'firma_b', 'testnormec', 'admin'])[1 + (row_number() over ())::int % 4] from people`,
    [PEOPLE],
  );
  await database.query(
    `insert into public.interviews (user_id, user_email, transcript, created_at)
     select p.ids[1 + n % $2::int], 'x@beispiel.test', 'Messreihe', now() - make_interval(secs => n * 70)
     from generate_series(1, $1::int) as n,
       (select array_agg(r.user_id) as ids from public.user_roles as r join auth.users as u on u.id = r.user_id
         where u.email like 'messung-%') as p`,
    [INTERVIEWS, PEOPLE],
  );
  await database.query(
    `insert into public.media_uploads (interview_id, file_path, file_type, created_at)
     select i.id, i.id || '/' || n || '.bin', (array['audio/webm', 'image/jpeg', 'video/mp4', 'application/pdf',
       'text/plain'])[1 + (i.id + n) % 5], i.created_at
     from public.interviews as i, generate_series(1, $1::int) as n where i.transcript = 'Messreihe'`,
    [UPLOADS / INTERVIEWS],
  );
  for (const table of ['public.interviews', 'public.media_uploads', 'public.user_roles', 'auth.users'])
    await database.query(`vacuum analyze ${table}`);
}
