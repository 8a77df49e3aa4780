import { strict as assert } from 'node:assert';
import { anon, attempt, login, service } from '#tests/support/callers.ts';
import { SAVE_CONTACT } from '#tests/support/factories.ts';
import {
  answer,
  boundId,
  foreignId,
  must,
  mustBeRefused,
  mustWork,
  getValues,
  getAdmin,
  getMember,
  type Rule,
  type Scene,
} from './rules.ts';

const CHANGE = ['public.desk_change(bigint,integer,jsonb)'];

const change = (scene: Scene, version: number, to: unknown, id = boundId(scene)) =>
  attempt(scene.database, login(getAdmin(scene)), 'select desk_change($1, $2, $3) as value', [
    id,
    version,
    JSON.stringify(to),
  ]);

const lock = (scene: Scene, id: string, until: string) =>
  must(scene, 'update auth.users set banned_until = now() + $2::interval where id = $1', [id, until]);

const events = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(interview_id, by, what, before, after, text) as value from private.desk_events
      order by id`,
  );

const logged = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(interview_id, by, what, detail) as value from desk_audit_log where what <> 'seed'
      order by id`,
  );

const emptyLog = (scene: Scene) =>
  must(
    scene,
    `alter table desk_audit_log disable trigger user; delete
      from desk_audit_log; alter table desk_audit_log enable trigger user`,
  );

const otherLines = (scene: Scene) =>
  getValues(scene, 'select to_jsonb(d) as value from private.desk_items as d where interview_id <> $1 order by 1', [
    boundId(scene),
  ]);

const promote = (scene: Scene) =>
  must(scene, `insert into user_roles (user_id, role) values ($1, 'admin')`, [scene.fixture.nobody.id]);

const WORK_RULES: readonly Rule[] = [
  {
    name: 'Desk: notes, assignments and states are events and lines of the log, once each',
    about: [
      ...CHANGE,
      'private.desk_note(private.desk_items,jsonb)',
      'private.desk_assign(private.desk_items,jsonb)',
      'private.desk_move(private.desk_items,jsonb)',
      'public.desk_audit(bigint,text,jsonb)',
    ],
    check: async (scene) => {
      const [id, admin] = [boundId(scene), getAdmin(scene).id];
      await emptyLog(scene);
      const others = await otherLines(scene);
      const url = 'https://beispiel.test/a';
      const steps: unknown[] = [
        { note: 'Schön' },
        { assignee: admin },
        // The same again is no change.
        { assignee: admin },
        { state: 'in_progress' },
        { state: 'in_progress' },
        { state: 'for_review', text: 'Bitte lesen' },
        { state: 'for_review', text: 'Noch einmal' },
        { state: 'published', url },
        { state: 'published', url },
        { state: 'published', url: `${url}b` },
        { state: 'rejected' },
      ];
      for (const step of steps) {
        const version = await answer(scene, 'select version as value from private.desk_items where interview_id = $1', [
          id,
        ]);
        const outcome = await change(scene, Number(version), step);
        assert.equal(outcome.kind, 'done', JSON.stringify(outcome));
      }
      const state = (before: string, after: string, text: string | null) => [id, admin, 'state', before, after, text];
      assert.deepEqual(await events(scene), [
        [id, admin, 'note', null, null, 'Schön'],
        [id, admin, 'assignment', null, admin, null],
        state('new', 'in_progress', null),
        state('in_progress', 'for_review', 'Bitte lesen'),
        state('for_review', 'for_review', 'Noch einmal'),
        state('for_review', 'published', url),
        state('published', 'published', `${url}b`),
        state('published', 'rejected', null),
      ]);
      const moved = (from: string, to: string) => [id, admin, 'state', { from, to }];
      assert.deepEqual(await logged(scene), [
        [id, admin, 'note', {}],
        [id, admin, 'assignment', { from: null, to: admin }],
        moved('new', 'in_progress'),
        moved('in_progress', 'for_review'),
        moved('for_review', 'for_review'),
        moved('for_review', 'published'),
        moved('published', 'published'),
        moved('published', 'rejected'),
      ]);
      assert.deepEqual(await otherLines(scene), others);
    },
  },
  {
    name: 'Desk: taking a contribution into work assigns it to the one who takes it, unless it has a colleague (0294)',
    about: [...CHANGE, 'private.desk_move(private.desk_items,jsonb)'],
    check: async (scene) => {
      const [id, admin, nobody] = [boundId(scene), getAdmin(scene).id, scene.fixture.nobody.id];
      const seen = () =>
        answer(
          scene,
          'select jsonb_build_array(state, assignee) as value from private.desk_items where interview_id = $1',
          [id],
        );
      await emptyLog(scene);
      await mustWork(change(scene, 1, { state: 'for_review' }));
      assert.deepEqual(await seen(), ['for_review', null]);
      await mustWork(change(scene, 2, { state: 'in_progress' }));
      assert.deepEqual(await seen(), ['in_progress', admin]);
      assert.deepEqual((await logged(scene)).slice(1), [
        [id, admin, 'assignment', { from: null, to: admin }],
        [id, admin, 'state', { from: 'for_review', to: 'in_progress' }],
      ]);
      const told = (await events(scene)).slice(1);
      assert.deepEqual(told[0], [id, admin, 'assignment', null, admin, null]);
      assert.equal(told.length, 2);
      // What is in work already is not taken by the same again.
      await mustWork(change(scene, 3, { assignee: null }));
      await mustWork(change(scene, 4, { state: 'in_progress' }));
      assert.deepEqual(await seen(), ['in_progress', null]);
      await promote(scene);
      await must(scene, `update private.desk_items set state = 'new', assignee = $2 where interview_id = $1`, [
        id,
        nobody,
      ]);
      await mustWork(change(scene, 4, { state: 'in_progress' }));
      assert.deepEqual(await seen(), ['in_progress', nobody]);
    },
  },
  {
    name: 'Desk: a change of another version, of nothing or to no administrator is refused',
    about: [...CHANGE, 'private.desk_assign(private.desk_items,jsonb)'],
    check: async (scene) => {
      await mustBeRefused(change(scene, 2, { state: 'in_progress' }), 'PT409');
      await mustBeRefused(change(scene, 1, { state: 'in_progress' }, 999_999), 'PT404');
      await mustBeRefused(change(scene, 1, { assignee: getMember(scene, 'firma_a').id }), '22023');
      await mustBeRefused(change(scene, 1, { assignee: '00000000-0000-4000-8000-000000000009' }), '22023');
      assert.equal((await change(scene, 7, { note: 'x' })).kind, 'done');
      assert.equal((await change(scene, 1, { assignee: getAdmin(scene).id })).kind, 'done');
      assert.equal((await change(scene, 2, { assignee: null })).kind, 'done');
    },
  },
  {
    name: 'Desk: a contribution shows its own files, turns and events, and the look is logged',
    about: [
      'public.desk_contribution(bigint)',
      'private.desk_whole(bigint)',
      'private.desk_files_of(bigint)',
      'private.desk_turns_of(bigint)',
      'private.desk_events_of(bigint)',
      'private.desk_lines(bigint[],tsquery)',
    ],
    check: async (scene) => {
      const [id, admin] = [boundId(scene), getAdmin(scene)];
      await promote(scene);
      const file = `${id}/1700000000000_first.png`;
      await must(scene, `update storage.objects set metadata = '{"size": 7}' where bucket_id = 'Media' and name = $1`, [
        file,
      ]);
      await must(
        scene,
        `insert into storage.objects (bucket_id, name, metadata) values ('Anderer', $1, '{"size": 8}')`,
        [file],
      );
      await change(scene, 1, { assignee: admin.id });
      await change(scene, 2, { state: 'in_progress' });
      await change(scene, 3, { assignee: scene.fixture.nobody.id });
      await change(scene, 1, { note: 'Fremd' }, foreignId(scene));
      await emptyLog(scene);
      const whole = await answer(
        scene,
        `select jsonb_build_array(c ->> 'id', c ->> 'assigneeEmail', c ->> 'state',
          jsonb_path_query_array(c, '$.fileList[*].path'), jsonb_path_query_array(c, '$.fileList[*].size'),
          jsonb_path_query_array(c, '$.turns[*].content'),
          (select jsonb_agg(jsonb_build_array(e ->> 'by', e ->> 'what', e ->> 'from', e ->> 'to'))
            from jsonb_array_elements(c -> 'events') as e)
        ) as value from desk_contribution($1) as c`,
        [id],
        login(admin),
      );
      const { email } = scene.fixture.nobody;
      assert.deepEqual(whole, [
        String(id),
        email,
        'in_progress',
        [file],
        [7],
        ['Hallo'],
        [
          [admin.email, 'assignment', admin.email, email],
          [admin.email, 'state', 'new', 'in_progress'],
          [admin.email, 'assignment', null, admin.email],
        ],
      ]);
      assert.deepEqual(await logged(scene), [[id, admin.id, 'view', {}]]);
      const missing = attempt(scene.database, login(admin), 'select desk_contribution(999999)');
      await mustBeRefused(missing, 'PT404');
    },
  },
  {
    name: 'Desk: an assignment that is taken back names no one any more',
    about: ['private.desk_events_of(bigint)'],
    check: async (scene) => {
      await change(scene, 1, { assignee: getAdmin(scene).id });
      await change(scene, 2, { assignee: null });
      const events = await answer(
        scene,
        `select jsonb_agg(jsonb_build_array(e ->> 'from', e ->> 'to')) as value
          from jsonb_array_elements(private.desk_events_of($1)) as e`,
        [boundId(scene)],
      );
      const { email } = getAdmin(scene);
      assert.deepEqual(events, [
        [email, null],
        [null, email],
      ]);
    },
  },
  {
    name: 'Desk: the list has each contribution once, and each shows its own text and link',
    about: ['private.desk_lines(bigint[],tsquery)', 'private.desk_whole(bigint)', 'public.desk_inbox(jsonb)'],
    check: async (scene) => {
      const admin = login(getAdmin(scene));
      const ids = await getValues(scene, 'select id::int as value from interviews order by id');
      await must(scene, `update interviews set transcript = 'Text ' || id`);
      await must(scene, `update private.desk_items set published_url = 'https://beispiel.test/' || interview_id`);
      const listed = `select jsonb_path_query_array(desk_inbox('{"limit": 200}'), '$.items[*].id') as value`;
      assert.deepEqual(
        ((await answer(scene, listed, [], admin)) as number[]).toSorted((a, b) => a - b),
        ids,
      );
      for (const id of [boundId(scene), foreignId(scene)]) {
        const shown = `select jsonb_build_array(c -> 'id', c -> 'transcript', c -> 'publishedUrl') as value
          from desk_contribution($1) as c`;
        assert.deepEqual(await answer(scene, shown, [id], admin), [id, `Text ${id}`, `https://beispiel.test/${id}`]);
      }
    },
  },
  {
    name: 'Desk: colleagues are the administrators, and it is said who is locked',
    about: ['public.desk_colleagues()'],
    check: async (scene) => {
      await promote(scene);
      const [admin, other] = [getAdmin(scene), scene.fixture.nobody];
      const listed = () => answer(scene, 'select desk_colleagues() as value', [], login(admin));
      const expected = (locked: boolean) =>
        [admin, other]
          .map(({ id, email }) => ({ id, email, locked: id === other.id && locked }))
          .toSorted((a, b) => (a.email < b.email ? -1 : 1));
      assert.deepEqual(await listed(), expected(false));
      await lock(scene, other.id, '1 hour');
      assert.deepEqual(await listed(), expected(true));
      await lock(scene, other.id, '-1 hour');
      assert.deepEqual(await listed(), expected(false));
      await must(scene, 'update auth.users set deleted_at = now() where id = $1', [other.id]);
      assert.equal(((await listed()) as unknown[]).length, 1);
    },
  },
  {
    name: 'Desk: a contribution goes to nobody who is locked or deleted, and stays with who is',
    about: ['private.desk_assign(private.desk_items,jsonb)'],
    check: async (scene) => {
      await promote(scene);
      const { id, email } = scene.fixture.nobody;
      await mustWork(change(scene, 1, { assignee: id }));
      await lock(scene, id, '1 hour');
      const named = `select desk_contribution($1) ->> 'assigneeEmail' as value`;
      assert.equal(await answer(scene, named, [boundId(scene)], login(getAdmin(scene))), email);
      await mustWork(change(scene, 2, { assignee: null }));
      await mustBeRefused(change(scene, 3, { assignee: id }), '22023');
      await lock(scene, id, '-1 hour');
      await mustWork(change(scene, 3, { assignee: id }));
      await mustWork(change(scene, 4, { assignee: null }));
      await must(scene, 'update auth.users set deleted_at = now() where id = $1', [id]);
      await mustBeRefused(change(scene, 5, { assignee: id }), '22023');
    },
  },
  {
    name: 'Desk: of the rows in a list those that are gone are named, of 10,000 at most',
    about: ['public.desk_gone(bigint[])'],
    check: async (scene) => {
      const admin = login(getAdmin(scene));
      const gone = await answer(
        scene,
        'select desk_gone(array[$1, 999999]::bigint[]) as value',
        [boundId(scene)],
        admin,
      );
      assert.deepEqual(gone, ['999999']);
      const many = 'select desk_gone(array(select generate_series(1, 10001)::bigint)) as value';
      await mustBeRefused(attempt(scene.database, admin, many), '22023');
    },
  },
  {
    name: 'Desk: a line that a trigger could not bring up to date is noted, and mended by the next look',
    about: [
      'private.desk_mark_stale(bigint[],text)',
      'private.desk_mend()',
      'public.desk_pulse()',
      'private.on_desk_attached()',
      'private.on_desk_contribution_insert()',
      'private.on_desk_contribution_update()',
      'private.on_desk_turns()',
    ],
    check: async (scene) => {
      const { key } = scene.fixture;
      const id = boundId(scene);
      const bare = scene.fixture.bare.get('bound') ?? 0;
      const as = (sql: string, params: readonly unknown[]) => attempt(scene.database, anon(key), sql, params);
      const stale = () =>
        getValues(scene, 'select jsonb_build_array(interview_id, cause) as value from private.desk_stale order by 1');
      await must(scene, 'alter table private.desk_items add constraint broken check (false) not valid');
      for (const step of [
        () => as(SAVE_CONTACT, [id]),
        () =>
          as(
            `insert into media_uploads (interview_id, file_path, file_type)
              values ($1, $1::bigint || '/9_a.png', 'image/png')`,
            [id],
          ),
        () =>
          as(`insert into interview_turns (interview_id, position, speaker, content) values ($1, 9, 'user', 'Ja')`, [
            bare,
          ]),
      ]) {
        assert.equal((await step()).kind, 'done');
        assert.equal((await stale()).length, 1);
        await must(scene, 'delete from private.desk_stale');
      }
      await must(scene, 'update private.desk_search set words = $1 where interview_id = $2', ['', id]);
      const made = await as(`insert into interviews (transcript) values ('Wälzlager') returning id`, []);
      const fresh = made.kind === 'done' ? Number(made.rows[0]?.['id']) : 0;
      await must(
        scene,
        `insert into private.desk_stale (interview_id, cause) values ($1, '22000') on conflict do nothing`,
        [id],
      );
      assert.deepEqual(await stale(), [
        [id, '22000'],
        [fresh, '23514'],
      ]);
      // One of them cannot be mended yet.
      await must(scene, 'alter table private.desk_items drop constraint broken');
      await must(
        scene,
        `alter table private.desk_items add constraint broken check (interview_id <> ${fresh}) not valid`,
      );
      await answer(scene, 'select desk_pulse() as value', [], login(getAdmin(scene)));
      assert.deepEqual(await stale(), [[fresh, '23514']]);
      const line = 'select contributor as value from private.desk_items where interview_id = $1';
      assert.equal(await answer(scene, line, [id]), 'Ada Lovelace');
      const words = `select words @@ to_tsquery('german', 'Lovelace') as value from private.desk_search
        where interview_id = $1`;
      assert.equal(await answer(scene, words, [id]), true);
    },
  },
  {
    name: 'Desk: an index that fails is mended too, and its line stays',
    about: ['private.desk_index(bigint[])', 'private.desk_mend()', 'private.on_desk_contribution_update()'],
    check: async (scene) => {
      const id = boundId(scene);
      await must(scene, 'delete from private.desk_search where interview_id = $1', [id]);
      await must(scene, `insert into private.desk_stale (interview_id, cause) values ($1, '22000')`, [id]);
      await answer(scene, 'select desk_pulse() as value', [], login(getAdmin(scene)));
      assert.equal(
        await answer(scene, 'select count(*)::int as value from private.desk_search where interview_id = $1', [id]),
        1,
      );
    },
  },
  {
    name: 'Desk: removals are remembered for an hour',
    about: ['public.desk_pulse()'],
    check: async (scene) => {
      await must(scene, `insert into private.desk_removals (at) values (now() - interval '2 hours'), (now())`);
      await answer(scene, 'select desk_pulse() as value', [], login(getAdmin(scene)));
      assert.equal(await answer(scene, 'select count(*)::int as value from private.desk_removals'), 1);
    },
  },
  {
    name: 'Desk: a change that touches no word leaves the index alone',
    about: ['private.on_desk_contribution_update()'],
    check: async (scene) => {
      const id = boundId(scene);
      await must(scene, 'update private.desk_search set words = $2 where interview_id = $1', [id, 'eigen']);
      await must(scene, `update interviews set transcript = 'x' where id = $1`, [foreignId(scene)]);
      await must(scene, 'update interviews set completed_at = now() where id = $1', [id]);
      assert.equal(
        await answer(scene, 'select words::text as value from private.desk_search where interview_id = $1', [id]),
        `'eigen'`,
      );
    },
  },
  {
    name: 'Desk: turns say nothing new of a contribution whose kind is told',
    about: ['private.on_desk_turns()'],
    check: async (scene) => {
      const id = boundId(scene);
      const told = `update contribution_origins set kind = 'video' where interview_id = $1`;
      const turn = (of: number) =>
        must(
          scene,
          `insert into interview_turns (interview_id, position, speaker, content) values ($1, 9, 'user', 'Ja')`,
          [of],
        );
      await must(scene, told, [id]);
      const changed = 'select changed_at::text as value from private.desk_items where interview_id = $1';
      const before = await answer(scene, changed, [id]);
      await turn(id);
      assert.equal(await answer(scene, changed, [id]), before);
      // Its origin is there and does not name a kind.
      const other = await answer(scene, changed, [foreignId(scene)]);
      await turn(foreignId(scene));
      assert.notEqual(await answer(scene, changed, [foreignId(scene)]), other);
    },
  },
];

const STATISTICS_RULES: readonly Rule[] = [
  {
    name: 'Statistics: each role counts its own people and what they handed in (D13)',
    about: ['public.admin_statistics()'],
    check: async (scene) => {
      await must(scene, `insert into user_roles (user_id, role) values ($1, 'testnormec')`, [scene.fixture.nobody.id]);
      const sql = `select jsonb_agg(jsonb_build_array(role, total_interviews, total_media_uploads, active_users,
        jsonb_array_length(users))) as value
        from admin_statistics()`;
      assert.deepEqual(await answer(scene, sql, [], service()), [
        ['firma_a', 2, 1, 1, 1],
        ['firma_b', 4, 2, 2, 2],
        ['testnormec', 2, 1, 1, 2],
        ['admin', 4, 2, 2, 2],
      ]);
      await must(scene, `delete from user_roles where role in ('admin', 'vdi_admin')`);
      const none = `select users as value from admin_statistics() where role = 'admin'`;
      assert.deepEqual(await answer(scene, none, [], service()), []);
    },
  },
  {
    name: 'Statistics: activity counts each week and kind by itself (D13)',
    about: ['public.admin_activity(integer)'],
    check: async (scene) => {
      await must(scene, `update media_uploads set file_type = 'video/mp4' where interview_id = $1`, [boundId(scene)]);
      await must(scene, `update interviews set created_at = now() - interval '7 days' where id = $1`, [boundId(scene)]);
      await must(scene, `update media_uploads set created_at = now() - interval '7 days' where interview_id = $1`, [
        boundId(scene),
      ]);
      const files = await answer(scene, 'select count(*)::int as value from media_uploads where interview_id <> $1', [
        boundId(scene),
      ]);
      const old = await answer(scene, 'select count(*)::int as value from media_uploads where interview_id = $1', [
        boundId(scene),
      ]);
      const others = `select jsonb_object_agg(d.kind, d.found) as value from
        (select kind, count(*) as found from private.desk_items where interview_id <> $1 group by kind) as d`;
      const sql = 'select jsonb_agg(jsonb_build_array(kind, total)) as value from admin_activity(2)';
      const week = (counts: Readonly<Record<string, unknown>>) =>
        ['interview', 'voice_message', 'video', 'image', 'document', 'contributor', 'file'].map((kind) => [
          kind,
          counts[kind] ?? 0,
        ]);
      const counted = (await answer(scene, others, [boundId(scene)])) as Record<string, number>;
      const expected = [...week({ interview: 1, file: old }), ...week({ ...counted, file: files })];
      assert.deepEqual(await answer(scene, sql, [], service()), expected);
      for (const weeks of ['0', '105', 'null']) {
        await mustBeRefused(attempt(scene.database, service(), `select admin_activity(${weeks})`), '22023');
      }
    },
  },
];

export const DESK_RULES: readonly Rule[] = [...WORK_RULES, ...STATISTICS_RULES];
