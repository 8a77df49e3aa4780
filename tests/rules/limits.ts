import { strict as assert } from 'node:assert';
import type { CallerContext } from '#backend/database/index.ts';
import { anon, attempt, login, newKey, service, type Outcome } from '#tests/support/callers.ts';
import {
  answer,
  boundId,
  getId,
  getMember,
  must,
  mustBeRefused,
  mustWork,
  getValues,
  withClaims,
  withHeaders,
  type Rule,
  type Scene,
} from './rules.ts';

const NETWORK = [
  'private.count_network(text,bigint,text)',
  'private.network()',
  'private.hash_network(text)',
  'private.forget_networks()',
];
const ATTACHED = [
  'private.count_attached(bigint,text,bigint,bigint,boolean)',
  'private.on_attached()',
  'private.contribution_usage',
];
const TEXTS = [
  'public.interviews',
  'private.on_interview_texts()',
  'on_interview_texts_insert',
  'on_interview_texts_update',
  'private.on_interview_texts_counted()',
  'on_interview_texts_counted_insert',
  'on_interview_texts_counted_update',
  'private.contribution_limit(text)',
  'private.refuse(integer,text,text,jsonb)',
];

const ENDED_SESSION = '00000000-0000-4000-8000-000000000009';

const limit = (scene: Scene, limits: Readonly<Record<string, number>>) =>
  must(scene, 'select private.configure_contribution_limits($1)', [JSON.stringify(limits)]);

/** A guest at that address. */
const from = (address: string, key = newKey()): CallerContext => withHeaders(anon(key), { 'x-forwarded-for': address });
const start = (scene: Scene, caller: CallerContext, transcript: string | null = null) =>
  attempt(scene.database, caller, 'insert into interviews (transcript) values ($1)', [transcript]);
let rated = 1;
/** Each of something else: the same again adds no row. */
const feed = (scene: Scene, caller: CallerContext, id: number, rows = 1) =>
  attempt(
    scene.database,
    caller,
    `insert into feedback (interview_id, event_id, score) select $1, n, 'like' from generate_series($2::int, $3) as n`,
    [id, rated + 1, (rated += rows)],
  );
const say = (scene: Scene, caller: CallerContext, id: number, content: string, position = 7) =>
  attempt(
    scene.database,
    caller,
    `insert into interview_turns (interview_id, position, speaker, content) values ($1, $3, 'user', $2)`,
    [id, content, position],
  );

/** A limit answers with a status and a code (PostgREST’s own SQLSTATE). */
async function mustBeLimited(attempted: Promise<Outcome>, status: number): Promise<void> {
  const outcome = await attempted;
  assert.equal(outcome.kind === 'refused' ? outcome.code : 'done', 'PGRST');
  const code = { 413: /transcript_too_long|answers_too_long|contribution_full/, 429: /over_contribution_limit/ }[
    status
  ];
  assert.match(outcome.kind === 'refused' ? outcome.message : '', code ?? /^$/);
}

const usage = (scene: Scene, id: number) =>
  answer(
    scene,
    `select jsonb_build_array(files, turns, feedback, turn_characters) as value from private.contribution_usage
      where interview_id = $1`,
    [id],
  );

export const LIMIT_RULES: readonly Rule[] = [
  {
    name: 'Limits: a network starts so many contributions in an hour, another one its own (D9)',
    about: [
      ...NETWORK,
      'public.interviews',
      'on_interview_limit',
      'private.on_interview_limit()',
      'private.contribution_limit(text)',
    ],
    check: async (scene) => {
      await limit(scene, { contributions_per_hour: 2 });
      await mustWork(start(scene, from('192.0.2.1')));
      await mustWork(start(scene, from('192.0.2.1')));
      await mustBeLimited(start(scene, from('192.0.2.1')), 429);
      await mustWork(start(scene, from('192.0.2.2')));
      // One subscriber has a whole /64, and an IPv4 address may be written as IPv6.
      await mustWork(start(scene, from('2001:db8::1')));
      await mustWork(start(scene, from('2001:db8::2')));
      await mustBeLimited(start(scene, from('2001:db8::3')), 429);
      await mustWork(start(scene, from('2001:db8:1::1')));
      await mustBeLimited(start(scene, from('::ffff:192.0.2.1')), 429);
      // Without an address nothing is counted; what is no address is one network.
      for (let n = 0; n < 3; n += 1) await mustWork(start(scene, anon(newKey())));
      await mustWork(start(scene, from('x')));
      await mustWork(start(scene, from('y')));
      await mustBeLimited(start(scene, from('z')), 429);
      // Members are not counted.
      const member = withHeaders(login(getMember(scene, 'firma_a')), { 'x-forwarded-for': '192.0.2.1' });
      await mustWork(start(scene, member));
      // The hour begins with the first one, and not again with each.
      await limit(scene, { contributions_per_hour: 3 });
      await must(scene, `update private.network_counts set since = now() - interval '59 minutes'`);
      await mustWork(start(scene, from('192.0.2.1')));
      const since = 'select distinct extract(epoch from now() - since)::int / 60 as value from private.network_counts';
      assert.deepEqual(await getValues(scene, since), [59]);
      await limit(scene, { contributions_per_hour: 2 });
      const hour = `update private.network_counts set since = now() - interval '61 minutes'`;
      await must(scene, hour);
      await mustWork(start(scene, from('192.0.2.1')));
      await mustWork(start(scene, from('192.0.2.1')));
      await mustBeLimited(start(scene, from('192.0.2.1')), 429);
    },
  },
  {
    name: 'Limits: an hour that began while the clock was ahead does not go on until then (D9)',
    about: NETWORK,
    check: async (scene) => {
      await limit(scene, { contributions_per_hour: 1 });
      const ahead = (interval: string) =>
        must(scene, 'update private.network_counts set since = now() + $1::interval', [interval]);
      await mustWork(start(scene, from('192.0.2.1')));
      // Up to an hour ahead it goes on: a transaction that began later may have begun it.
      await ahead('59 minutes');
      await mustBeLimited(start(scene, from('192.0.2.1')), 429);
      await ahead('30 days');
      await mustWork(start(scene, from('192.0.2.1')));
      await mustBeLimited(start(scene, from('192.0.2.1')), 429);
      await ahead('30 days');
      await must(scene, 'select private.forget_networks()');
      assert.deepEqual(await getValues(scene, 'select count(*)::int as value from private.network_counts'), [0]);
    },
  },
  {
    name: 'Limits: a key and volumes of a day from while the clock was ahead go once it is right (D9, D19)',
    about: ['private.forget_networks()'],
    check: async (scene) => {
      const keep = async (madeIn: string, day: string): Promise<unknown[]> => {
        await must(scene, 'delete from private.network_key');
        await must(scene, 'delete from private.upload_volumes');
        await must(scene, 'insert into private.network_key (made_at) values (now() + $1::interval)', [madeIn]);
        await must(scene, `insert into private.upload_volumes values (current_date + $1::integer, '', 1, 1)`, [day]);
        await must(scene, 'select private.forget_networks()');
        const tables = ['network_key', 'upload_volumes'];
        return getValues(
          scene,
          tables.map((table) => `select count(*)::int as value from private.${table}`).join(' union all '),
        );
      };
      // Of a transaction that began later.
      assert.deepEqual(await keep('59 minutes', '1'), [1, 1]);
      assert.deepEqual(await keep('30 days', '30'), [0, 0]);
    },
  },
  {
    name: 'Limits: at a hosted project the hourly round of a server with the service key forgets networks, too (D9)',
    about: ['public.desk_erasure_gone()'],
    check: async (scene) => {
      await mustWork(start(scene, from('192.0.2.1')));
      await must(scene, `update private.network_counts set since = now() - interval '61 minutes'`);
      await mustWork(attempt(scene.database, service(), 'select public.desk_erasure_gone()'));
      assert.deepEqual(await getValues(scene, 'select count(*)::int as value from private.network_counts'), [0]);
    },
  },
  {
    name: 'Limits: the hourly round removes ended tickets, past minutes and conversations of killed servers (D9)',
    about: ['public.desk_erasure_gone()'],
    check: async (scene) => {
      await must(
        scene,
        `insert into private.desk_tickets (id, owner, sealed, expires_at)
          select sha256(n::text::bytea), gen_random_uuid(), '', now() + n * interval '1 s' from unnest(array[-1, 1]) n`,
      );
      await must(
        scene,
        `insert into private.voice_tickets (id, owner, sealed, expires_at)
          select sha256(n::text::bytea), n::text, '', now() + n * interval '1 s' from unnest(array[-1, 1]) n`,
      );
      await must(
        scene,
        `insert into private.voice_sessions (id, subject, paid, alive_until)
          select gen_random_uuid(), n::text, true, now() - n * interval '1 hour' from unnest(array[23, 25]) n`,
      );
      await must(
        scene,
        `insert into private.voice_minutes (day, subject, used_ms)
          select (now() at time zone 'UTC')::date - n, n::text, 1 from unnest(array[0, 1]) n`,
      );
      await mustWork(attempt(scene.database, service(), 'select public.desk_erasure_gone()'));
      const left = `select jsonb_build_array((select count(*) from private.desk_tickets where expires_at > now()),
        (select count(*) from private.desk_tickets), (select jsonb_agg(owner) from private.voice_tickets),
        (select jsonb_agg(subject) from private.voice_sessions),
        (select jsonb_agg(subject) from private.voice_minutes)) as value`;
      assert.deepEqual(await answer(scene, left), [1, 1, ['1'], ['23'], ['0']]);
    },
  },
  {
    name: 'Limits: counts are forgotten after their hour, the key with the last of them or after a day (D9)',
    about: NETWORK,
    check: async (scene) => {
      await mustWork(start(scene, from('192.0.2.1')));
      await mustWork(start(scene, from('192.0.2.2')));
      const key = 'select key::text as value from private.network_key';
      const first = await answer(scene, key);
      const counts = 'select count(*)::int as value from private.network_counts';
      const forget = () => must(scene, 'select private.forget_networks()');
      // What a network did is forgotten kind by kind.
      await must(
        scene,
        `insert into private.network_counts (network, what, amount, since)
          select network, 'rows', 1, now() - interval '61 minutes' from private.network_counts limit 1`,
      );
      await forget();
      assert.equal(await answer(scene, counts), 2);
      await must(
        scene,
        `update private.network_counts set since = now() - interval '61 minutes' where ctid = (select min(ctid)
          from private.network_counts)`,
      );
      await must(scene, `update private.network_key set made_at = now() - interval '2 hours'`);
      await forget();
      assert.equal(await answer(scene, counts), 1);
      assert.equal(await answer(scene, key), first);
      await must(scene, `update private.network_counts set since = now() - interval '61 minutes'`);
      await must(scene, 'update private.network_key set made_at = now()');
      await forget();
      assert.equal(await answer(scene, counts), 0);
      assert.equal(await answer(scene, key), first);
      await must(scene, `update private.network_key set made_at = now() - interval '2 hours'`);
      // A network’s first count forgets the others’.
      await must(
        scene,
        `insert into private.network_counts (network, what, amount, since)
          values ('', 'rows', 1, now() - interval '2 hours')`,
      );
      await mustWork(start(scene, from('192.0.2.3')));
      assert.equal(await answer(scene, counts), 1);
      await must(scene, 'delete from private.network_counts');
      await forget();
      assert.equal(await answer(scene, 'select count(*)::int as value from private.network_key'), 0);
    },
  },
  {
    name: 'Limits: rows and characters of a network are counted, a member’s are not (D9)',
    about: [...NETWORK, ...ATTACHED],
    check: async (scene) => {
      const guest = from('192.0.2.1', scene.fixture.key);
      const id = boundId(scene);
      await limit(scene, { rows_per_hour: 3, characters_per_hour: 20 });
      await mustBeLimited(feed(scene, guest, id, 4), 429);
      await mustWork(feed(scene, guest, id, 2));
      await mustBeLimited(say(scene, guest, id, 'x'.repeat(21)), 429);
      await mustWork(say(scene, guest, id, 'x'.repeat(20)));
      await mustBeLimited(feed(scene, guest, id), 429);
      const member = getMember(scene, 'firma_a');
      const own = withHeaders(login(member), { 'x-forwarded-for': '192.0.2.1' });
      await mustWork(feed(scene, own, getId(scene.fixture.contributions, member.id), 9));
      // A login without a role is a guest.
      const { nobody, key } = scene.fixture;
      const guestWithLogin = withHeaders(login(nobody, key), { 'x-forwarded-for': '192.0.2.1' });
      await mustBeLimited(feed(scene, guestWithLogin, id), 429);
    },
  },
  {
    name: 'Limits: a contribution holds so many files, turns, likes and characters (D9)',
    about: [
      ...ATTACHED,
      'public.media_uploads',
      'public.interview_turns',
      'public.feedback',
      'on_files_counted',
      'on_turns_counted',
      'on_feedback_counted',
      'private.contribution_limit(text)',
    ],
    check: async (scene) => {
      const [guest, id] = [anon(scene.fixture.key), boundId(scene)];
      assert.deepEqual(await usage(scene, id), [1, 1, 1, 5]);
      await limit(scene, { files: 2, turns: 2, feedback: 2, turn_characters: 10 });
      const file = (n: number) =>
        attempt(
          scene.database,
          guest,
          `insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, 'image/png')`,
          [id, `${id}/${n}_a.png`],
        );
      await mustWork(file(8));
      await mustBeLimited(file(9), 413);
      await mustBeLimited(say(scene, guest, id, 'x'.repeat(6)), 413);
      await mustWork(say(scene, guest, id, 'x'.repeat(5)));
      await mustBeLimited(say(scene, guest, id, '', 8), 413);
      await mustWork(feed(scene, guest, id));
      await mustBeLimited(feed(scene, guest, id), 413);
      assert.deepEqual(await usage(scene, id), [2, 2, 2, 10]);
      // The service and the owner are past the limits, and what they add is counted.
      await mustWork(feed(scene, service(), id));
      assert.deepEqual(await usage(scene, id), [2, 2, 3, 10]);
      assert.deepEqual(await usage(scene, getId(scene.fixture.contributions, 'foreign')), [1, 1, 1, 5]);
      // Where the turns are too long, what has no text is still taken.
      await limit(scene, { files: 3, turn_characters: 1 });
      await mustWork(file(9));
    },
  },
  {
    name: 'Ratings: one that is sent again adds nothing, a changed mind adds a row (§7)',
    about: ['public.feedback', 'on_feedback_again', 'private.on_feedback_again()'],
    check: async (scene) => {
      const rate = async (of: number, event: number, score: string, conversation = '') => {
        const sql = `insert into feedback (interview_id, conversation_id, event_id, score) values ($1, $2, $3, $4)`;
        const caller = of === boundId(scene) ? anon(scene.fixture.key) : service();
        const outcome = await mustWork(attempt(scene.database, caller, sql, [of, conversation, event, score]));
        return outcome.count;
      };
      const [id, other] = [boundId(scene), getId(scene.fixture.contributions, 'foreign')];
      assert.deepEqual([await rate(id, 50, 'like'), await rate(id, 50, 'like')], [1, 0]);
      assert.deepEqual([await rate(id, 50, 'dislike'), await rate(id, 50, 'like')], [1, 1]);
      // The same of another answer, conversation or contribution is another rating.
      assert.deepEqual(
        [await rate(id, 51, 'like'), await rate(id, 50, 'like', 'b'), await rate(other, 50, 'like')],
        [1, 1, 1],
      );
      // Nobody learns in this way what somebody else has given.
      await mustBeRefused(
        attempt(
          scene.database,
          anon(scene.fixture.key),
          `insert into feedback (interview_id, event_id, score) values ($1, 50, 'like')`,
          [other],
        ),
      );
    },
  },
  {
    name: 'Limits: texts grow up to their limit, and longer ones may be corrected (D9)',
    about: TEXTS,
    check: async (scene) => {
      const [guest, id] = [anon(scene.fixture.key), boundId(scene)];
      const write = (column: string, value: string) =>
        attempt(scene.database, guest, `update interviews set ${column} = $1 where id = $2`, [value, id]);
      await limit(scene, { transcript_characters: 10, answer_characters: 20 });
      await mustWork(write('transcript', 'x'.repeat(10)));
      await mustBeLimited(write('transcript', 'x'.repeat(11)), 413);
      await mustWork(write('w_questions_answers', '{"who": "xxxxxxx"}'));
      await mustBeLimited(write('w_questions_answers', '{"who": "xxxxxxxxxxxxxx"}'), 413);
      await mustBeLimited(start(scene, anon(newKey()), 'x'.repeat(11)), 413);
      await must(
        scene,
        `update interviews set transcript = $1, w_questions_answers = '{"who": "xxxxxxxxxxxxxxxxxxxx"}' where id = $2`,
        ['x'.repeat(50), id],
      );
      await mustWork(write('transcript', 'y'.repeat(50)));
      await mustWork(write('w_questions_answers', '{"who": "yyyyyyyyyyyyyyyyyyyy"}'));
      await mustBeLimited(write('transcript', 'y'.repeat(51)), 413);
    },
  },
  {
    name: 'Limits: what a guest’s texts grow by counts for the network, a member’s does not (D9)',
    about: [...TEXTS, ...NETWORK],
    check: async (scene) => {
      const id = boundId(scene);
      await limit(scene, { characters_per_hour: 20 });
      const write = (caller: CallerContext, length: number, of = id) =>
        attempt(scene.database, caller, `update interviews set transcript = $1 where id = $2`, [
          'x'.repeat(length),
          of,
        ]);
      const guest = from('192.0.2.1', scene.fixture.key);
      await mustWork(write(guest, 15));
      await mustWork(write(guest, 1));
      await mustWork(write(guest, 6));
      await mustBeLimited(write(guest, 7), 429);
      await mustBeLimited(start(scene, from('192.0.2.2'), 'x'.repeat(21)), 429);
      const member = getMember(scene, 'firma_a');
      const own = withHeaders(login(member), { 'x-forwarded-for': '192.0.2.1' });
      await mustWork(write(own, 30, getId(scene.fixture.contributions, member.id)));
    },
  },
  {
    name: 'Limits: only known ones are configured, as whole numbers within reason (D9)',
    about: ['private.configure_contribution_limits(jsonb)'],
    check: async (scene) => {
      for (const limits of [
        '{"songs": 1}',
        '{"files": 0}',
        '{"files": 1.5}',
        '{"files": "1"}',
        '{"files": 1000000001}',
      ]) {
        await mustBeRefused(scene.owner('select private.configure_contribution_limits($1)', [limits]), '22023');
      }
      await limit(scene, { files: 7 });
      const set = `select jsonb_build_array(value -> 'files', value -> 'turns') as value from private.settings
        where name = 'contribution_limits'`;
      assert.deepEqual(await getValues(scene, set), [[7, 5000]]);
      assert.deepEqual(await getValues(scene, `select value from private.settings where name = 'open_contributions'`), [
        true,
      ]);
    },
  },
  {
    name: 'Listing: the area is that of the contribution’s owner; an administrator says which (D2)',
    about: [
      'public.contribution_origins',
      'on_origin_insert',
      'private.on_origin_insert()',
      'private.origin_area(bigint,text)',
    ],
    check: async (scene) => {
      const { bare, key } = scene.fixture;
      const say = async (caller: CallerContext, id: number): Promise<unknown> => {
        await mustWork(
          attempt(
            scene.database,
            caller,
            `insert into contribution_origins (interview_id, area) values ($1, 'firma-b')`,
            [id],
          ),
        );
        return answer(scene, 'select area as value from contribution_origins where interview_id = $1', [id]);
      };
      const [member, admin] = [getMember(scene, 'firma_a'), getMember(scene, 'admin')];
      assert.equal(await say(login(member, key), getId(bare, member.id)), 'firma-a');
      assert.equal(await say(login(admin), getId(bare, admin.id)), 'firma-b');
      // An administrator with somebody’s key, and a guest with an administrator’s.
      assert.equal(await say(login(admin, key), getId(bare, 'bound')), 'generic');
      const shared = newKey();
      const bind = `insert into private.interview_keys (key_hash, interview_id)
        values (sha256(convert_to($1, 'UTF8')), $2)`;
      await must(scene, bind, [shared, getId(bare, admin.id)]);
      await must(scene, 'delete from contribution_origins where interview_id = $1', [getId(bare, admin.id)]);
      assert.equal(await say(anon(shared), getId(bare, admin.id)), 'generic');
      // Nor does an administrator whose session has ended.
      await must(scene, 'delete from contribution_origins where interview_id = $1', [getId(bare, admin.id)]);
      const ended = withClaims(login(admin, shared), { session_id: ENDED_SESSION });
      assert.equal(await say(ended, getId(bare, admin.id)), 'generic');
    },
  },
];
