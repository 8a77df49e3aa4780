import { strict as assert } from 'node:assert';
import type pg from 'pg';
import { anon, attempt, login, probe, service, type Outcome } from '#tests/support/callers.ts';
import { SAVE_CONTACT } from '#tests/support/factories.ts';
import { commitMeanwhile, undo } from './commit-meanwhile.ts';
import {
  answer,
  boundId,
  foreignId,
  getAdmin,
  getMember,
  must,
  mustBeRefused,
  mustWork,
  getValues,
  withHeaders,
  type Rule,
  type Scene,
} from './rules.ts';

/*
 * What a server waits for while another one works. The other one sees only what is committed, so it locks the lines of
 * the prepared contributions, or a mail that it adds and removes again. Mutations of other objects do not come here: a
 * change of a table would hold the other connection.
 */
const watches = 'these';

const LOCK_NOT_AVAILABLE = '55P03';
const WORKER = '00000000-0000-4000-8000-00000000000a';
const BOX = 'chefin@beispiel.test';
const LOCK_BOX = `select pg_advisory_xact_lock(hashtextextended('desk_mail:${BOX}', 0))`;

/** A wait for a lock is refused instead, so that it shows. */
const refuseToWait = (scene: Scene) => must(scene, `set local lock_timeout = '100ms'`);

/** While another connection works on the line of the contribution. */
const whileHeld = (scene: Scene, contribution: number, work: () => Promise<void>): Promise<void> =>
  scene.elsewhere(async (other) => {
    await other.query('begin');
    await other.query('select from private.desk_items where interview_id = $1 for no key update', [contribution]);
    await work();
  });

/** A mail about each: the first of a worker that has claimed it, the other one waiting. */
async function queueBoth(scene: Scene): Promise<readonly [number, number]> {
  await must(scene, 'delete from private.desk_mails');
  const made = await getValues(
    scene,
    `insert into private.desk_mails (key, interview_id, mail, address, claim, state, due_at) values
      ('first', $1, 'new', 'team@beispiel.test', '${WORKER}', 'claimed', now()),
      ('second', $2, 'new', '${BOX}', null, 'waiting', now() + interval '1 millisecond')
      returning id as value`,
    [boundId(scene), foreignId(scene)],
  );
  return [Number(made[0]), Number(made[1])];
}

const states = (scene: Scene) =>
  getValues(
    scene,
    'select jsonb_build_array(state, due_at > clock_timestamp()) as value from private.desk_mails order by id',
  );

/** While a mail is there for all connections, due now. */
const withCommittedMail = (
  scene: Scene,
  work: (other: pg.ClientBase, id: number) => Promise<void>,
  kind = 'new',
  contribution = boundId(scene),
): Promise<void> =>
  scene.elsewhere(async (other) => {
    await must(scene, 'delete from private.desk_mails');
    const insert = `
      insert into private.desk_mails (key, interview_id, mail, address) values ('committed', $1, $3, $2)
        returning id`;
    const { rows } = await other.query<{ id: string }>(insert, [contribution, BOX, kind]);
    try {
      await work(other, Number(rows[0]?.id));
    } finally {
      await other.query('rollback');
      await other.query(`delete from private.desk_mails where key = 'committed'`);
    }
  });

/** Leaves the mail to the other connection. */
const claimAndUndo = (scene: Scene): Promise<Outcome> =>
  probe(scene.database, service(), 'select desk_mail_claim() as value');

/** What comes of a claim that waits for the mailbox while the other connection changes the mail. */
async function claimDuring(scene: Scene, other: pg.ClientBase, change: string, id: number): Promise<Outcome> {
  await other.query('begin');
  await other.query(LOCK_BOX);
  await other.query(change, [id]);
  return commitMeanwhile(scene, other, () => claimAndUndo(scene));
}

/** Locks the mail as a claim does. */
async function take(other: pg.ClientBase, id: number): Promise<void> {
  await other.query('begin');
  await other.query(`update private.desk_mails set state = 'claimed' where id = $1`, [id]);
}

/** The mails that `queue` adds, which is undone: it may have locked what the other connection removes. */
const queueAndUndo = (scene: Scene, queue: string): Promise<readonly unknown[]> =>
  undo(scene, async () => {
    await must(scene, queue, [boundId(scene)]);
    return getValues(scene, `select mail as value from private.desk_mails where key <> 'committed'`);
  });

/** Mails that a change of a post queues: the kind, what queues it for the prepared mailbox, and the function. */
const QUEUES = [
  ['review', 'select private.queue_review_mail($1, null)', 'private.queue_review_mail(bigint,uuid)'],
  ['review_answer', 'select private.queue_answer_mail($1)', 'private.queue_answer_mail(bigint)'],
] as const;

const QUEUE_RULES: readonly Rule[] = QUEUES.flatMap(([kind, queue, name]): Rule[] => [
  {
    name: `Locks: a mail of kind ${kind} that another server takes meanwhile is followed by another one (posts)`,
    about: [name],
    watches,
    check: (scene) =>
      withCommittedMail(
        scene,
        async (other, id) => {
          await must(scene, `select desk_mail_configure('{${BOX}}')`);
          await must(scene, 'update private.desk_items set assignee = null');
          await take(other, id);
          assert.deepEqual(await commitMeanwhile(scene, other, () => queueAndUndo(scene, queue)), [kind]);
        },
        kind,
      ),
  },
  {
    name: `Locks: a mail of kind ${kind} waits for no mail of another contribution (posts)`,
    about: [name],
    watches,
    check: (scene) =>
      withCommittedMail(
        scene,
        async (other, id) => {
          await must(scene, `select desk_mail_configure('{${BOX}}')`);
          await take(other, id);
          await refuseToWait(scene);
          assert.deepEqual(await queueAndUndo(scene, queue), [kind]);
        },
        kind,
        foreignId(scene),
      ),
  },
]);

const ERASURE_RULE: Rule = {
  name: 'Locks: an account is to be erased after a change of the role of an administrator, and of no other role',
  about: ['public.desk_erase(jsonb)'],
  watches,
  check: (scene) =>
    scene.elsewhere(async (other) => {
      const [admin, member] = [getAdmin(scene), getMember(scene, 'firma_a')];
      const erase = `select desk_erase('${JSON.stringify({ email: member.email, account: true })}')`;
      const change = (id: string) => other.query('select from user_roles where user_id = $1 for update', [id]);
      await refuseToWait(scene);
      await other.query('begin');
      await change(getMember(scene, 'firma_b').id);
      await mustWork(probe(scene.database, login(admin), erase));
      await change(admin.id);
      await mustBeRefused(probe(scene.database, login(admin), erase), LOCK_NOT_AVAILABLE);
      await other.query('rollback');
    }),
};

const CLAIM = ['public.desk_mail_claim()'];

const changedMeanwhile = (name: string, change: string): Rule => ({
  name: `Locks: a mail that another server has ${name} meanwhile is not given out (decision 0124)`,
  about: CLAIM,
  watches,
  check: (scene) =>
    withCommittedMail(scene, async (other, id) => {
      const claimed = await mustWork(claimDuring(scene, other, change, id));
      assert.deepEqual(claimed.rows, [{ value: null }]);
    }),
});

export const LOCK_RULES: readonly Rule[] = [
  ...QUEUE_RULES,
  ERASURE_RULE,
  {
    name: 'Locks: a change of a contribution waits for no other contribution',
    about: ['private.desk_refresh(bigint[])'],
    watches,
    check: (scene) =>
      whileHeld(scene, foreignId(scene), async () => {
        await refuseToWait(scene);
        await mustWork(attempt(scene.database, anon(scene.fixture.key), SAVE_CONTACT, [boundId(scene)]));
        assert.deepEqual(await getValues(scene, 'select cause as value from private.desk_stale'), []);
      }),
  },
  {
    name: 'Locks: a text is counted of its network after its line and its contribution are locked, as a file is (D9)',
    about: [
      'private.on_interview_texts_counted()',
      'on_interview_texts_counted_update',
      'private.on_interview_texts()',
    ],
    watches,
    check: async (scene) => {
      const guest = withHeaders(anon(scene.fixture.key), { 'x-forwarded-for': '192.0.2.1' });
      const write = `update interviews set transcript = 'Lauter neue Wörter.' where id = $1`;
      const pid = Number(await answer(scene, 'select pg_backend_pid() as value'));
      const lookWhatIsHeld = (tables: readonly string[]) =>
        `select set_config('tests.waits', exists (
            select from pg_locks where pid = ${pid} and not granted
          )::text, false),
          set_config('tests.held', (exists (
            select from pg_locks where pid = ${pid} and relation = any ('{${tables.join()}}'::regclass[])
          ))::text, false)`;
      const [usage, network] = ['private.contribution_usage', 'private.network_counts'];
      for (const [held, counted] of [
        ['private.desk_items', [usage, network]],
        [usage, [network]],
      ] as const)
        await scene.elsewhere(async (other) => {
          await other.query('begin');
          await other.query(`select from ${held} where interview_id = $1 for no key update`, [boundId(scene)]);
          const written = () => undo(scene, () => attempt(scene.database, guest, write, [boundId(scene)]));
          await mustWork(commitMeanwhile(scene, other, written, lookWhatIsHeld(counted)));
          const { rows } = await other.query(
            `select current_setting('tests.waits') as waits, current_setting('tests.held') as held`,
          );
          assert.deepEqual(rows, [{ waits: 'true', held: 'false' }]);
        });
    },
  },
  {
    name: 'Locks: the end of a mail waits for no other contribution',
    about: ['public.desk_mail_settle(bigint,uuid,text,text)'],
    watches,
    check: async (scene) => {
      const [first] = await queueBoth(scene);
      await whileHeld(scene, foreignId(scene), async () => {
        await refuseToWait(scene);
        await mustWork(
          attempt(scene.database, service(), 'select desk_mail_settle($1, $2, $3)', [first, WORKER, 'refused']),
        );
      });
    },
  },
  {
    name: 'Locks: a key for a review mail waits for no other contribution (posts)',
    about: ['public.review_mail_key(bigint,uuid,text)'],
    watches,
    check: async (scene) => {
      const [first, second] = await queueBoth(scene);
      const claim = `update private.desk_mails set mail = 'review', state = 'claimed', claim = $2 where id = $1`;
      await must(scene, claim, [second, WORKER]);
      // Where its row stands says nothing of which mail is meant.
      await must(scene, 'update private.desk_mails set attempts = attempts + 1 where id = $1', [first]);
      await whileHeld(scene, boundId(scene), async () => {
        await refuseToWait(scene);
        const key = 'select review_mail_key($1, $2, $3) as value';
        assert.equal(await answer(scene, key, [second, WORKER, 'a'.repeat(64)], service()), true);
        await mustBeRefused(
          attempt(scene.database, service(), key, [first, WORKER, 'b'.repeat(64)]),
          LOCK_NOT_AVAILABLE,
        );
      });
    },
  },
  {
    name: 'Locks: a mail to be ended, whose contribution another server holds, waits, and no other does',
    about: CLAIM,
    watches,
    check: async (scene) => {
      const [first, second] = await queueBoth(scene);
      await must(scene, `update private.desk_mails set created_at = now() - interval '8 days' where id = $1`, [first]);
      await whileHeld(scene, boundId(scene), async () => {
        await refuseToWait(scene);
        assert.equal(await answer(scene, `select (desk_mail_claim() ->> 'id')::int as value`, [], service()), second);
        assert.deepEqual(await states(scene), [
          ['claimed', true],
          ['claimed', true],
        ]);
      });
    },
  },
  {
    name: 'Locks: a mail that another server has locked is passed over',
    about: CLAIM,
    watches,
    check: (scene) =>
      withCommittedMail(scene, async (other, id) => {
        await other.query('begin');
        await other.query('select from private.desk_mails where id = $1 for update', [id]);
        assert.deepEqual((await mustWork(claimAndUndo(scene))).rows, [{ value: null }]);
      }),
  },
  {
    name: 'Locks: two servers take one after the other from a mailbox (decision 0124)',
    about: CLAIM,
    watches,
    check: async (scene) => {
      await queueBoth(scene);
      await must(scene, `delete from private.desk_mails where key = 'first'`);
      await scene.elsewhere(async (other) => {
        await other.query('begin');
        await other.query(LOCK_BOX);
        await refuseToWait(scene);
        await mustBeRefused(attempt(scene.database, service(), 'select desk_mail_claim()'), LOCK_NOT_AVAILABLE);
      });
    },
  },
  changedMeanwhile('ended', `update private.desk_mails set state = 'no_address' where id = $1`),
  changedMeanwhile('put off', `update private.desk_mails set due_at = now() + interval '1 hour' where id = $1`),
  {
    name: 'Locks: volumes of a day that has ended go, but for one that another server holds (D19)',
    about: ['private.forget_networks()'],
    watches,
    check: (scene) =>
      scene.elsewhere(async (other) => {
        const add = (hash: string) => `insert into private.upload_volumes values ('2020-01-01', '${hash}', 1, 1)`;
        await other.query(add('held'));
        await must(scene, add('free'));
        try {
          await other.query(`begin; select from private.upload_volumes where network_hash = 'held' for update`);
          await refuseToWait(scene);
          await must(scene, 'select private.forget_networks()');
          const left = `select convert_from(network_hash, 'UTF8') as value from private.upload_volumes`;
          assert.deepEqual(await getValues(scene, left), ['held']);
        } finally {
          await other.query(`rollback; delete from private.upload_volumes where network_hash = 'held'`);
        }
      }),
  },
  {
    name: 'Locks: of two servers at once one runs the retention',
    about: ['public.desk_retain_daily(integer,timestamp with time zone)'],
    watches,
    check: async (scene) => {
      await must(scene, `update interviews set created_at = '2019-01-01' where id = $1`, [boundId(scene)]);
      await must(
        scene,
        `insert into private.retention (days, since, seen_at) values (30, now() - interval '2 days', now())`,
      );
      const runs = () =>
        answer(scene, `select desk_retain_daily(30, '2020-01-01') is not null as value`, [], service());
      await scene.elsewhere(async (other) => {
        await other.query('begin');
        await other.query(`select pg_advisory_xact_lock(hashtext('desk_retain_daily'))`);
        assert.equal(await runs(), false);
      });
      assert.equal(await runs(), true);
    },
  },
];
