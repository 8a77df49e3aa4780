import { strict as assert } from 'node:assert';
import { attempt, login, service } from '#tests/support/callers.ts';
import { answer, boundId, getAdmin, getValues, must, mustWork, type Rule, type Scene } from './rules.ts';

const call = (scene: Scene, sql: string, params: readonly unknown[] = []) =>
  answer(scene, `select ${sql} as value`, params, service());

async function beginErasure(scene: Scene, subject: unknown): Promise<unknown> {
  const asked = attempt(scene.database, login(getAdmin(scene)), 'select desk_erase($1) as value', [
    JSON.stringify(subject),
  ]);
  return (await mustWork(asked)).rows[0]?.['value'];
}

/** What tells of a person in samples of accounts. */
const OF_ACCOUNTS = ['users.email', 'one_time_tokens.relates_to', 'mfa_factors.phone', 'mfa_challenges.ip_address'];

/** Stands for samples that were taken before: the share of empty places. */
async function sample(scene: Scene, schema: string, columns: readonly string[]): Promise<void> {
  for (const name of columns) {
    const [table, column] = name.split('.');
    await must(
      scene,
      `select pg_restore_attribute_stats('schemaname', $1::text, 'relname', $2::text, 'attname', $3::text,
        'inherited', false, 'null_frac', 0.125::real)`,
      [schema, table, column],
    );
  }
}

const readSamples = (scene: Scene, schema: string, columns: readonly string[]) =>
  getValues(
    scene,
    `select name as value from unnest($2::text[]) with ordinality as sampled (name, place)
     where exists (select from pg_stats where schemaname = $1 and tablename || '.' || attname = name
       and null_frac = 0.125::real) order by place`,
    [schema, columns],
  );

export const RECEIPT_RULES: readonly Rule[] = [
  {
    name: 'Erasure: where none is open, none is claimed',
    about: ['public.desk_erasure_claim(uuid)'],
    check: async (scene) => {
      assert.deepEqual(await call(scene, 'desk_erasure_claim()'), { claimed: null, open: 0 });
    },
  },
  {
    name: 'Erasure: samples of accounts are taken again when an account goes, and only then',
    about: ['public.desk_erasure_forget(uuid)'],
    check: async (scene) => {
      const contribution = await beginErasure(scene, { contribution: boundId(scene) });
      const person = await beginErasure(scene, { email: scene.fixture.other.email, account: true });
      await sample(scene, 'auth', OF_ACCOUNTS);
      await call(scene, 'desk_erasure_forget($1)', [contribution]);
      assert.deepEqual(await readSamples(scene, 'auth', OF_ACCOUNTS), OF_ACCOUNTS);
      await call(scene, 'desk_erasure_forget($1)', [person]);
      assert.deepEqual(await readSamples(scene, 'auth', OF_ACCOUNTS), []);
    },
  },
  {
    name: 'Erasure: samples of posts, their texts and answers, and of mails are taken again (posts)',
    about: ['public.desk_erasure_forget(uuid)'],
    check: async (scene) => {
      const columns = ['posts.published_url', 'post_versions.body', 'review_answers.comment'];
      await sample(scene, 'public', columns);
      await sample(scene, 'private', ['desk_mails.key']);
      assert.deepEqual(await readSamples(scene, 'public', columns), columns);
      await call(scene, 'desk_erasure_forget($1)', [await beginErasure(scene, { contribution: boundId(scene) })]);
      assert.deepEqual(await readSamples(scene, 'public', columns), []);
      assert.deepEqual(await readSamples(scene, 'private', ['desk_mails.key']), []);
    },
  },
  {
    name: 'Erasure: receipts have pages of fifty, and the last page leads to none',
    about: ['public.desk_erasures(uuid)'],
    check: async (scene) => {
      const add = `
        insert into private.erasure_receipts
        select ('00000000-0000-4000-8000-0000000000' || n)::uuid, now() - make_interval(days => n), null, 'person',
          0, 0, 0, 0, 0, 0, 0 from generate_series(10, 60) as n`;
      await must(scene, add);
      const page = (after: string | null) =>
        answer(
          scene,
          `select jsonb_build_array(jsonb_array_length(r -> 'receipts'), r -> 'next') as value
            from desk_erasures($1) as r`,
          [after],
          login(getAdmin(scene)),
        );
      const fiftieth = '00000000-0000-4000-8000-000000000059';
      assert.deepEqual(await page(null), [50, fiftieth]);
      assert.deepEqual(await page(fiftieth), [1, null]);
    },
  },
];
