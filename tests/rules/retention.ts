import { strict as assert } from 'node:assert';
import { attempt, login } from '#tests/support/callers.ts';
import { undo } from './commit-meanwhile.ts';
import { asAdmin, begin, call, CLAIMS, count } from './erasure.ts';
import { answer, boundId, foreignId, getAdmin, getId, getMember, must, mustBeRefused, type Rule } from './rules.ts';

const RETENTION = [
  'public.desk_retain(timestamp with time zone,uuid)',
  'public.desk_retain_daily(integer,timestamp with time zone)',
  'private.retained_until(timestamp with time zone)',
  'public.desk_retention(timestamp with time zone,text)',
];

export const RETENTION_RULES: readonly Rule[] = [
  {
    name: 'Retention: what was handed in and finished before goes, what was finished later stays',
    about: [...RETENTION, ...CLAIMS],
    check: async (scene) => {
      const { contributions, bare } = scene.fixture;
      const { id: member } = getMember(scene, 'firma_a');
      const [first, second] = [getId(contributions, member), getId(bare, member)];
      const dated = `update interviews set created_at = $2, completed_at = $3 where id = $1`;
      await must(scene, dated, [first, '2019-01-01', null]);
      await must(scene, dated, [second, '2019-02-01', null]);
      await must(scene, dated, [foreignId(scene), '2019-01-01', '2021-01-01']);
      const list = `jsonb_build_array(r -> 'total', jsonb_path_query_array(r, '$.items[*].id'))`;
      const listed = (after: string | null) =>
        asAdmin(scene, `(select ${list} from desk_retention('2020-01-01', $1) as r)`, [after]);
      const placeOf = (id: number) =>
        answer(
          scene,
          `select private.desk_cursor('retention', created_at::text, id) as value from interviews where id = $1`,
          [id],
        ) as Promise<string>;
      const after = await placeOf(first);
      assert.deepEqual(await listed(null), [2, [first, second]]);
      assert.deepEqual(await listed(after), [2, [second]]);
      // Where the page ended at a row that was erased meanwhile, the next one goes on all the same.
      await undo(scene, async () => {
        await must(scene, 'delete from interviews where id = $1', [first]);
        assert.deepEqual(await listed(after), [1, [second]]);
      });
      for (const bad of [
        '1',
        'zz',
        await answer(scene, `select private.desk_cursor('newest', '2019-01-01', 1) as value`),
      ])
        await mustBeRefused(
          attempt(scene.database, login(getAdmin(scene)), `select desk_retention('2020-01-01', $1)`, [bad]),
          '22023',
        );
      const erasure = await call(scene, `desk_retain('2020-01-01', null)`);
      assert.equal(await call(scene, `desk_retain('2020-01-01', null)`), erasure);
      assert.notEqual(await call(scene, `desk_retain('2020-01-02', null)`), erasure);
      assert.equal(await call(scene, 'desk_erasure_next($1)::int', [erasure]), Math.min(first, second));
      assert.equal(await count(scene, `private.retained_until('2020-01-01')`), 2);
    },
  },
  {
    name: 'Retention: a request of another kind is not taken for it',
    about: RETENTION,
    check: async (scene) => {
      await begin(scene, { contribution: boundId(scene) });
      const request = `insert into private.erasures (what, before) values ('retention', '2019-06-01')`;
      await must(scene, request);
      const erasure = await call(scene, `desk_retain('2020-01-01', null)`);
      const made = 'select what as value from private.erasures where id = $1';
      assert.equal(await answer(scene, made, [erasure]), 'retention');
      assert.equal(await count(scene, 'private.erasures'), 3);
    },
  },
  {
    name: 'Retention: runs once a day, and not on the day on which the period was set',
    about: RETENTION,
    check: async (scene) => {
      await must(scene, `update interviews set created_at = '2019-01-01' where id = $1`, [boundId(scene)]);
      const daily = (before: string, days = 30) => call(scene, 'desk_retain_daily($1, $2)', [days, before]);
      const yesterday = `update private.retention set since = now() - interval '2 days', ran_on = null`;
      assert.equal(await daily('2020-01-01'), null);
      await must(scene, yesterday);
      assert.equal(await daily('2018-01-01'), null);
      await must(scene, yesterday);
      assert.equal(await daily('2020-01-01', 40), null);
      await must(scene, yesterday);
      assert.notEqual(await daily('2020-01-01', 40), null);
      assert.equal(await daily('2020-01-02', 40), null);
      assert.equal(await count(scene, 'private.erasures'), 1);
    },
  },
  {
    name: 'Retention: a server whose clock is ahead erases nothing that is younger than the period',
    about: RETENTION,
    check: async (scene) => {
      await must(scene, `update interviews set created_at = now() - interval '29 days', completed_at = null`);
      const tomorrow = `now() + interval '1 day'`;
      const daily = () => call(scene, `desk_retain_daily(30, ${tomorrow})`);
      const yesterday = `update private.retention set since = now() - interval '2 days', ran_on = null`;
      assert.equal(await daily(), null);
      await must(scene, yesterday);
      assert.equal(await daily(), null);
      await must(scene, `update interviews set created_at = now() - interval '31 days' where id = $1`, [
        boundId(scene),
      ]);
      await must(scene, yesterday);
      assert.notEqual(await daily(), null);
      const before = `select before between now() - interval '31 days' and now() - interval '29 days' as value
        from private.erasures`;
      assert.equal(await answer(scene, before), true);
      // A day that began while the clock of the database was ahead ends a day after the correction.
      await must(scene, `update private.retention set since = now() + interval '1 year', ran_on = null`);
      assert.equal(await daily(), null);
      await must(scene, `update private.retention set since = since - interval '25 hours'`);
      assert.notEqual(await daily(), null);
    },
  },
  {
    name: 'Retention: a period that no server ran with for more than a day counts as set anew',
    about: RETENTION,
    check: async (scene) => {
      await must(scene, `update interviews set created_at = '2019-01-01' where id = $1`, [boundId(scene)]);
      const daily = () => call(scene, `desk_retain_daily(30, '2020-01-01')`);
      const seen = (at: string) =>
        must(scene, `update private.retention set since = now() - interval '1 year', ran_on = null, seen_at = ${at}`);
      assert.equal(await daily(), null);
      for (const longAgo of ['null', `now() - interval '25 hours'`]) {
        await seen(longAgo);
        assert.equal(await daily(), null);
        // Each call is written down, and so the day goes on.
        assert.equal(await daily(), null);
        const begun = 'seen_at > now() and since > now()';
        assert.equal(await answer(scene, `select ${begun} as value from private.retention`), true);
      }
      await seen(`now() - interval '23 hours'`);
      assert.notEqual(await daily(), null);
      assert.equal(await answer(scene, 'select seen_at >= now() as value from private.retention'), true);
    },
  },
];
