import { strict as assert } from 'node:assert';
import { attempt, login, service } from '#tests/support/callers.ts';
import {
  getAdmin,
  answer,
  boundId,
  foreignId,
  getMember,
  must,
  mustBeRefused,
  getValues,
  type Rule,
  type Scene,
} from './rules.ts';
import { signOnToo } from './people.ts';

export const call = (scene: Scene, sql: string, params: readonly unknown[] = []) =>
  answer(scene, `select ${sql} as value`, params, service());
export const asAdmin = (scene: Scene, sql: string, params: readonly unknown[] = []) =>
  answer(scene, `select ${sql} as value`, params, login(getAdmin(scene)));
const erase = (scene: Scene, subject: unknown) =>
  attempt(scene.database, login(getAdmin(scene)), 'select desk_erase($1) as value', [JSON.stringify(subject)]);
export const begin = async (scene: Scene, subject: unknown): Promise<string> => {
  const outcome = await erase(scene, subject);
  if (outcome.kind === 'refused') throw new Error(outcome.message);
  return String(outcome.rows[0]?.['value']);
};
const EARLIER = '00000000-0000-4000-8000-000000000001';
export const count = (scene: Scene, what: string) => answer(scene, `select count(*)::int as value from ${what}`);

/** What belongs to a contribution besides its own rows, for two of them. */
async function furnish(scene: Scene): Promise<void> {
  await must(scene, 'delete from private.desk_mails');
  for (const id of [boundId(scene), foreignId(scene)]) {
    await must(scene, `insert into private.desk_events (interview_id, what) values ($1, 'note')`, [id]);
    await must(scene, `insert into private.desk_stale (interview_id, cause) values ($1, '22000')`, [id]);
    await must(
      scene,
      `insert into private.desk_mails (key, interview_id, mail, state, address) values
        ('w' || $1::bigint, $1::bigint, 'new', 'waiting', 'team@beispiel.test'), ('s' || $1::bigint, $1::bigint, 'new',
          'sent', 'team@beispiel.test')`,
      [id],
    );
    await must(
      scene,
      `insert into storage.objects (bucket_id, name) values ('Anderer', $1::bigint || '/1700000000000_first.png')`,
      [id],
    );
  }
}

const STEPS = [
  'public.desk_erasure_begin(uuid,bigint,bigint)',
  'public.desk_erasure_rows(bigint)',
  'public.desk_erasure_finish(uuid)',
  'public.desk_erasure_letters(bigint)',
  'private.files_of(bigint)',
];
export const CLAIMS = [
  'public.desk_erasure_claim(uuid)',
  'public.desk_erasure_release(uuid)',
  'public.desk_erasure_next(uuid)',
];
const REQUEST = ['public.desk_erase(jsonb)', 'private.erasable(uuid)', 'private.accounts_of(text)'];
const PERSON = [
  'public.desk_erasure_begin_person(uuid,bigint)',
  'public.desk_erasure_person(uuid)',
  'private.mails_of(bigint[],text,uuid[])',
  'private.contributions_of(text)',
];

const WISH_RULES: readonly Rule[] = [
  {
    name: 'Erasure: the same request is one erasure, another request another one, and each is logged',
    about: REQUEST,
    check: async (scene) => {
      const first = await begin(scene, { contribution: boundId(scene) });
      assert.equal(await begin(scene, { contribution: boundId(scene) }), first);
      const second = await begin(scene, { contribution: foreignId(scene) });
      assert.notEqual(second, first);
      const rows = `select jsonb_build_array(what, contribution, by) as value from private.erasures
        order by contribution`;
      const { id } = getAdmin(scene);
      const expected = [boundId(scene), foreignId(scene)]
        .toSorted((a, b) => a - b)
        .map((of) => ['contribution', of, id]);
      assert.deepEqual(await getValues(scene, rows), expected);
      assert.equal(await count(scene, `desk_audit_log where what = 'erasure'`), 2);
      await mustBeRefused(erase(scene, { contribution: 999_999 }), 'PT404');
    },
  },
  {
    name: 'Erasure: a person’s account is the one with the address, and an own one stays',
    about: REQUEST,
    check: async (scene) => {
      const { other } = scene.fixture;
      await begin(scene, { email: other.email.toUpperCase(), account: true });
      assert.deepEqual(
        await getValues(scene, 'select jsonb_build_array(email, account) as value from private.erasures'),
        [[other.email, other.id]],
      );
      await must(scene, `insert into user_roles (user_id, role) values ($1, 'admin')`, [scene.fixture.nobody.id]);
      await mustBeRefused(erase(scene, { email: getAdmin(scene).email, account: true }), 'PT409');
      assert.deepEqual(await getValues(scene, `select private.accounts_of('keiner@beispiel.test') as value`), []);
    },
  },
  {
    name: 'Erasure: each account with the address goes, an own one among them stays with the others',
    about: REQUEST,
    check: async (scene) => {
      const { other, nobody } = scene.fixture;
      await signOnToo(scene, nobody.id, other.email);
      const first = await begin(scene, { email: other.email, account: true });
      assert.equal(await begin(scene, { email: other.email, account: true }), first);
      const rows = `select jsonb_build_array(id, email, account) as value from private.erasures
        order by id <> '${first}'`;
      assert.deepEqual(await getValues(scene, rows), [
        [first, other.email, other.id],
        [
          await answer(scene, `select id as value from private.erasures where account = $1`, [nobody.id]),
          other.email,
          nobody.id,
        ],
      ]);
      await must(scene, `delete from private.erasures`);
      const member = getMember(scene, 'firma_a');
      await must(scene, 'update auth.users set is_sso_user = true where id = $1', [getAdmin(scene).id]);
      await must(scene, 'update auth.users set email = $2 where id = $1', [member.id, getAdmin(scene).email]);
      await mustBeRefused(erase(scene, { email: getAdmin(scene).email, account: true }), 'PT409');
      assert.equal(await count(scene, 'private.erasures'), 0);
    },
  },
  {
    name: 'Erasure: an administrator whose account is to go is none any more, and everybody else keeps the role',
    about: REQUEST,
    check: async (scene) => {
      const [leaving, member] = [scene.fixture.nobody, getMember(scene, 'firma_a')];
      const roles = async (): Promise<Map<unknown, unknown>> =>
        new Map(
          (await getValues(scene, 'select jsonb_build_array(user_id, role) as value from user_roles')) as [
            unknown,
            unknown,
          ][],
        );
      await must(scene, `insert into user_roles (user_id, role) values ($1, 'admin')`, [leaving.id]);
      const before = await roles();
      await begin(scene, { email: leaving.email, account: true });
      await begin(scene, { email: member.email, account: true });
      assert.deepEqual(await roles(), before.set(leaving.id, 'vdi_admin'));
    },
  },
  {
    name: 'Erasure: one administrator stays who can sign in',
    about: ['private.erasable(uuid)'],
    check: async (scene) => {
      const [admin, second] = [getAdmin(scene), scene.fixture.nobody];
      const erasable = (id: string) => answer(scene, 'select private.erasable($1) as value', [id]);
      assert.equal(await erasable(admin.id), 'last_admin');
      const ban = (until: string) =>
        must(scene, `update auth.users set banned_until = now() + $2::interval where id = $1`, [admin.id, until]);
      // With no administrator who can sign in, everybody else may still go.
      await ban('1 hour');
      assert.equal(await erasable(getMember(scene, 'firma_a').id), 'yes');
      await ban('-1 hour');
      await must(scene, `insert into user_roles (user_id, role) values ($1, 'admin')`, [second.id]);
      assert.equal(await erasable(second.id), 'yes');
      await ban('1 hour');
      assert.equal(await erasable(second.id), 'last_admin');
      assert.equal(await erasable(getMember(scene, 'firma_a').id), 'yes');
      await ban('-1 hour');
      assert.equal(await erasable(second.id), 'yes');
      const request = `insert into private.erasures (what, email, account) values ('person', 'a@b', $1)`;
      await must(scene, request, [getMember(scene, 'firma_a').id]);
      assert.equal(await erasable(second.id), 'yes');
      await must(scene, request, [admin.id]);
      assert.equal(await erasable(second.id), 'last_admin');
    },
  },
];

const STEP_RULES: readonly Rule[] = [
  {
    name: 'Erasure: one server works on one erasure at a time',
    about: CLAIMS,
    check: async (scene) => {
      const first = await begin(scene, { contribution: boundId(scene) });
      const second = await begin(scene, { contribution: foreignId(scene) });
      const claim = async (id: string | null = null) =>
        (await call(scene, `desk_erasure_claim($1) -> 'claimed' ->> 'id'`, [id])) as string | null;
      assert.equal(await claim(second), second);
      assert.equal(await claim(second), null);
      assert.equal(await claim(), first);
      assert.equal(await claim(), null);
      // As if the seconds of a release had passed.
      await call(scene, 'desk_erasure_release($1)', [second]);
      await must(scene, `update private.erasures set claimed_until = claimed_until - interval '4 seconds'`);
      assert.equal(await claim(), second);
      assert.equal(await claim(), null);
      assert.equal(await call(scene, `(desk_erasure_claim() ->> 'open')::int`), 2);
      const due = 'select count(*)::int as value from private.erasures where claimed_until < clock_timestamp()';
      await must(scene, `update private.erasures set claimed_until = '-infinity'`);
      await call(scene, 'desk_erasure_next($1)', [second]);
      assert.equal(await answer(scene, due), 1);
      await must(scene, `update private.erasures set claimed_until = '-infinity'`);
      await call(scene, 'desk_erasure_begin($1, $2, 0)', [second, foreignId(scene)]);
      assert.equal(await answer(scene, due), 1);
    },
  },
  {
    name: 'Erasure: one that failed is left for a moment, and comes after all others',
    about: CLAIMS,
    check: async (scene) => {
      const first = await begin(scene, { contribution: boundId(scene) });
      const second = await begin(scene, { contribution: foreignId(scene) });
      const third = await begin(scene, { email: 'jemand@beispiel.test' });
      const claim = () => call(scene, `desk_erasure_claim() -> 'claimed' ->> 'id'`);
      for (const expected of [first, second, third]) {
        assert.equal(await claim(), expected);
        await call(scene, 'desk_erasure_release($1)', [expected]);
      }
      assert.equal(await claim(), null);
      await must(scene, `update private.erasures set claimed_until = claimed_until - interval '4 seconds'`);
      await must(scene, `update private.erasures set claimed_until = '-infinity' where id = $1`, [third]);
      for (const expected of [third, first, second]) assert.equal(await claim(), expected);
    },
  },
  {
    name: 'Erasure: a contribution goes with all that hangs on it, and no other does',
    about: STEPS,
    check: async (scene) => {
      await furnish(scene);
      const id = boundId(scene);
      const erasure = await begin(scene, { contribution: id });
      const other = await begin(scene, { contribution: foreignId(scene) });
      await must(scene, `insert into private.erasure_counts (erasure, contribution, files) values ($1, 1, 5)`, [other]);
      await must(
        scene,
        `insert into private.erasure_receipts values ('${EARLIER}', now(), null, 'person', 0, 0, 0, 0, 0, 0, 0)`,
      );
      // Takes new samples of the tables, also of one that has lost a column; two erasures are open.
      await must(scene, 'alter table interviews add column spare text; alter table interviews drop column spare');
      await call(scene, 'desk_erasure_forget($1)', [erasure]);
      const letters = (await call(scene, 'desk_erasure_letters($1)', [id])) as unknown[];
      assert.equal(letters.length, 2);
      assert.equal(await call(scene, 'desk_erasure_next($1)::int', [erasure]), id);
      assert.deepEqual(await call(scene, 'desk_erasure_begin($1, $2, 3)', [erasure, id]), [
        `${id}/1700000000000_first.png`,
      ]);
      const before = await answer(
        scene,
        `select jsonb_build_array((select count(*) from interviews), (select count(*) from private.interview_keys
          where interview_id <> $1)) as value`,
        [id],
      );
      await call(scene, 'desk_erasure_rows($1)', [id]);
      const after = await answer(
        scene,
        `select jsonb_build_array((select count(*) + 1 from interviews), (select count(*)
          from private.interview_keys)) as value`,
      );
      assert.deepEqual(after, before);
      assert.deepEqual(await getValues(scene, 'select interview_id::int as value from private.desk_stale'), [
        foreignId(scene),
      ]);
      assert.equal(await count(scene, 'private.erased_letters'), 2);
      assert.deepEqual(await getValues(scene, 'select interview_id::int as value from private.erased_contributions'), [
        id,
      ]);
      assert.equal(await call(scene, 'desk_erasure_next($1)', [erasure]), null);
      const receipt = (await call(scene, 'desk_erasure_finish($1)', [erasure])) as Record<string, unknown>;
      const { id: of, contributions, files, turns, feedback, events, mails, accounts, posts } = receipt;
      assert.deepEqual(
        { of, contributions, files, turns, feedback, events, mails, accounts, posts },
        { of: erasure, contributions: 1, files: 1, turns: 1, feedback: 1, events: 1, mails: 4, accounts: 0, posts: 1 },
      );
      assert.deepEqual(await getValues(scene, 'select id as value from private.erasures'), [other]);
      assert.equal(await count(scene, 'private.erasure_receipts'), 2);
    },
  },
  {
    name: 'Erasure: a contribution that was erased before the request is erased again',
    about: CLAIMS,
    check: async (scene) => {
      await must(
        scene,
        `insert into private.erased_contributions (interview_id, at)
          values ($1, now() - interval '1 hour'), ($2, clock_timestamp() + interval '1 hour')`,
        [boundId(scene), foreignId(scene)],
      );
      const erasure = await begin(scene, { contribution: boundId(scene) });
      assert.equal(await call(scene, 'desk_erasure_next($1)::int', [erasure]), boundId(scene));
    },
  },
  {
    name: 'Erasure: what a person handed in goes with the account, also where its address changed since the request',
    about: CLAIMS,
    check: async (scene) => {
      const { other } = scene.fixture;
      const [account, alone] = [
        await begin(scene, { email: other.email, account: true }),
        await begin(scene, { email: other.email }),
      ];
      await must(scene, `update auth.users set email = 'neu@beispiel.test' where id = $1`, [other.id]);
      await must(scene, `update interviews set user_email = 'frueher@beispiel.test' where user_id = $1`, [other.id]);
      const gone: number[] = [];
      const next = async (erasure: string) => Number(await call(scene, 'desk_erasure_next($1)', [erasure]));
      for (let id = await next(account); id !== 0; id = await next(account)) {
        // A mutation that hands out the same one for ever is noticed here.
        assert.ok(!gone.includes(id));
        gone.push(id);
        await must(scene, 'delete from interviews where id = $1', [id]);
      }
      const own = [...scene.fixture.contributions, ...scene.fixture.bare].filter(([whose]) => whose === 'foreign');
      assert.deepEqual(
        gone,
        own.map(([, id]) => id).toSorted((a, b) => a - b),
      );
      assert.equal(await next(alone), 0);
      assert.notEqual(await count(scene, 'interviews where user_id is not null'), 0);
    },
  },
  {
    name: 'Erasure: of a person everything goes that is not a contribution, and of no other',
    about: [...PERSON, ...CLAIMS, 'public.desk_erasure_finish(uuid)'],
    check: async (scene) => {
      const { other } = scene.fixture;
      const member = getMember(scene, 'firma_a');
      const erasure = await begin(scene, { email: other.email, account: true });
      await begin(scene, { email: 'keiner@beispiel.test' });
      const next = Number(await call(scene, 'desk_erasure_next($1)', [erasure]));
      const own = [...scene.fixture.contributions, ...scene.fixture.bare].filter(([whose]) => whose === 'foreign');
      assert.ok(own.some(([, id]) => id === next));
      await must(scene, 'delete from private.desk_mails');
      const mail = `insert into private.desk_mails (key, interview_id, mail, state, address, colleague)
        values ($1, $2, 'new', $3, $4, $5)`;
      await must(scene, mail, ['a', boundId(scene), 'waiting', other.email, null]);
      await must(scene, mail, ['b', boundId(scene), 'sent', other.email, null]);
      await must(scene, mail, ['c', boundId(scene), 'waiting', null, other.id]);
      await must(scene, mail, ['d', boundId(scene), 'waiting', member.email, null]);
      await must(scene, mail, ['e', foreignId(scene), 'waiting', null, member.id]);
      for (const { id } of [other, member]) {
        await must(
          scene,
          `insert into private.desk_tickets (id, owner, sealed) values (sha256($1::text::bytea), $1::text::uuid, '')`,
          [id],
        );
        await must(
          scene,
          `insert into private.voice_tickets (id, owner, sealed, expires_at)
            values (sha256($1::text::bytea), $1::text, '', now())`,
          [id],
        );
        await must(
          scene,
          `insert into private.voice_sessions (id, subject, paid, alive_until)
            values (gen_random_uuid(), $1, true, now())`,
          [id],
        );
        await must(scene, `insert into private.voice_minutes (day, subject, used_ms) values (current_date, $1, 1)`, [
          id,
        ]);
        await must(
          scene,
          `insert into auth.audit_log_entries (payload)
            values (json_build_object('actor_id', $1::text)), (json_build_object('user_id', $1::text)),
            (json_build_object('traits', json_build_object('user_id', $1::text)))`,
          [id],
        );
      }
      await call(scene, 'desk_erasure_begin_person($1, 7)', [erasure]);
      assert.deepEqual(
        await getValues(
          scene,
          'select jsonb_build_array(erasure, contribution, mails, accounts) as value from private.erasure_counts',
        ),
        [[erasure, 0, 9, 1]],
      );
      await call(scene, 'desk_erasure_person($1)', [erasure]);
      const left = `select jsonb_build_array((select string_agg(key, '' order by key) from private.desk_mails),
        (select jsonb_agg(owner) from private.desk_tickets), (select jsonb_agg(owner) from private.voice_tickets),
        (select jsonb_agg(subject) from private.voice_sessions), (select jsonb_agg(subject) from private.voice_minutes),
        (select count(*) from auth.audit_log_entries)) as value`;
      const only = [member.id];
      assert.deepEqual(await answer(scene, left), ['de', only, only, only, only, 3]);
      // What belongs to no contribution counts as none.
      const receipt = (await call(scene, 'desk_erasure_finish($1)', [erasure])) as Record<string, unknown>;
      assert.deepEqual([receipt['contributions'], receipt['mails']], [0, 9]);
    },
  },
  {
    name: 'Erasure: a person’s mails and tickets go also where the log of sign-ins may not be changed',
    about: PERSON,
    check: async (scene) => {
      const member = getMember(scene, 'firma_a');
      const erasure = await begin(scene, { email: member.email, account: true });
      await must(scene, `insert into private.voice_minutes (day, subject, used_ms) values (current_date, $1, 1)`, [
        member.id,
      ]);
      await must(
        scene,
        `insert into private.desk_mails (key, interview_id, mail, state, address)
          values ('a', $2, 'new', 'waiting', $1)`,
        [member.email, boundId(scene)],
      );
      await must(
        scene,
        `insert into auth.audit_log_entries (payload) values (json_build_object('actor_id', $1::text))`,
        [member.id],
      );
      await must(
        scene,
        `create function pg_temp.refuse() returns trigger language plpgsql
          as $$ begin raise insufficient_privilege; end $$;
        create trigger refuse before delete on auth.audit_log_entries
          for each row execute function pg_temp.refuse()`,
      );
      await call(scene, 'desk_erasure_person($1)', [erasure]);
      const left = `select jsonb_build_array((select count(*) from private.desk_mails where key = 'a'),
        (select count(*) from private.voice_minutes), (select count(*) from auth.audit_log_entries)) as value`;
      assert.deepEqual(await answer(scene, left), [0, 0, 1]);
    },
  },
  {
    name: 'Erasure: what was erased is remembered for three days, unless it is there again',
    about: ['public.desk_erasure_gone()', 'public.desk_erasure_stragglers()'],
    check: async (scene) => {
      const old = `now() - interval '4 days'`;
      await must(
        scene,
        `insert into private.erased_contributions (interview_id, at)
          values (900001, now()), (900002, ${old}), ($1, now())`,
        [boundId(scene)],
      );
      await must(
        scene,
        `insert into private.erased_letters (message_id, at)
          values (gen_random_uuid(), ${old}), ('00000000-0000-4000-8000-000000000009', now())`,
      );
      await must(scene, `insert into storage.objects (bucket_id, name) values ('Media', '900001/1_a.png')`);
      assert.deepEqual(await call(scene, 'desk_erasure_gone()'), {
        contributions: [900_001, 900_002],
        letters: ['00000000-0000-4000-8000-000000000009'],
      });
      assert.deepEqual(await call(scene, 'desk_erasure_stragglers()'), ['900001/1_a.png']);
      assert.equal(await count(scene, 'private.erased_contributions'), 2);
    },
  },
  {
    name: 'Erasure: receipts are listed newest first, page by page',
    about: ['public.desk_erasures(uuid)'],
    check: async (scene) => {
      const receipt = `insert into private.erasure_receipts
        select ('00000000-0000-4000-8000-00000000000' || n)::uuid, now() - make_interval(days => n), null, 'person', 0,
        0, 0, 0, 0, 0, 0 from generate_series(1, 3) as n`;
      await must(scene, receipt);
      const listed = (after: string | null) =>
        asAdmin(scene, `jsonb_path_query_array(desk_erasures($1), '$.receipts[*].id')`, [after]) as Promise<string[]>;
      const last = (ids: readonly string[]) => ids.map((id) => id.at(-1)).join('');
      assert.equal(last(await listed(null)), '123');
      assert.equal(last(await listed('00000000-0000-4000-8000-000000000002')), '3');
    },
  },
];

export const ERASURE_RULES: readonly Rule[] = [...WISH_RULES, ...STEP_RULES];
