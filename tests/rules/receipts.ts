import { strict as assert } from 'node:assert';
import { attempt, login, service } from '#tests/support/callers.ts';
import { getAdmin, answer, boundId, must, mustWork, type Rule, type Scene } from './rules.ts';

const call = (scene: Scene, sql: string, params: readonly unknown[] = []) =>
  answer(scene, `select ${sql} as value`, params, service());

async function beginErasure(scene: Scene, subject: unknown): Promise<unknown> {
  const asked = attempt(scene.database, login(getAdmin(scene)), 'select desk_erase($1) as value', [
    JSON.stringify(subject),
  ]);
  return (await mustWork(asked)).rows[0]?.['value'];
}

/** Stands for a sample that was taken before: the share of empty addresses. */
const SAMPLE = `
  select pg_restore_attribute_stats('schemaname', 'auth', 'relname', 'users', 'attname', 'email', 'inherited', false,
    'null_frac', 0.125::real)`;
const readSample = (scene: Scene) =>
  answer(
    scene,
    `select null_frac::float as value from pg_stats
      where schemaname = 'auth' and tablename = 'users' and attname = 'email'`,
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
      await must(scene, SAMPLE);
      await call(scene, 'desk_erasure_forget($1)', [contribution]);
      assert.equal(await readSample(scene), 0.125);
      await call(scene, 'desk_erasure_forget($1)', [person]);
      assert.equal(await readSample(scene), 0);
    },
  },
  {
    name: 'Erasure: samples of posts, their texts and answers are taken again (posts)',
    about: ['public.desk_erasure_forget(uuid)'],
    check: async (scene) => {
      const columns = ['posts.published_url', 'post_versions.body', 'review_answers.comment'];
      for (const name of columns) {
        const [table, column] = name.split('.');
        await must(
          scene,
          `select pg_restore_attribute_stats('schemaname', 'public', 'relname', $1::text, 'attname', $2::text,
            'inherited', false, 'null_frac', 0.125::real)`,
          [table, column],
        );
      }
      const old = `select count(*)::int as value from pg_stats where schemaname = 'public' and null_frac = 0.125::real
        and tablename || '.' || attname = any ($1)`;
      assert.equal(await answer(scene, old, [columns]), 3);
      await call(scene, 'desk_erasure_forget($1)', [await beginErasure(scene, { contribution: boundId(scene) })]);
      assert.equal(await answer(scene, old, [columns]), 0);
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
