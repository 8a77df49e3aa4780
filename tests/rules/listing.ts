import { strict as assert } from 'node:assert';
import { anon, attempt, login } from '#tests/support/callers.ts';
import { CONTACT, SAVE_CONTACT } from '#tests/support/factories.ts';
import { addPost } from './posts.ts';
import { getId, getMember, getValues, mustBeRefused, mustWork, answer, type Rule, type Scene } from './rules.ts';

const bare = (scene: Scene): number => getId(scene.fixture.bare, 'bound');

async function getLine(scene: Scene, id: number, columns: string): Promise<unknown> {
  return (await mustWork(scene.owner(`select ${columns} from private.desk_items where interview_id = $1`, [id])))
    .rows[0];
}

const wordsFind = (scene: Scene, id: number, word: string): Promise<unknown> =>
  answer(scene, `select words @@ to_tsquery('german', $2) as value from private.desk_search where interview_id = $1`, [
    id,
    word,
  ]);

const asKey = (scene: Scene, sql: string, params: readonly unknown[]) =>
  mustWork(attempt(scene.database, anon(scene.fixture.key), sql, params));

const asOwner = (scene: Scene, sql: string, params: readonly unknown[] = []) => mustWork(scene.owner(sql, params));

const addFile = (scene: Scene, id: number, type = 'video/mp4') =>
  asKey(scene, `insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, $3)`, [
    id,
    `${id}/9_a.bin`,
    type,
  ]);

const addNamed = (scene: Scene, name: string) =>
  asKey(
    scene,
    `insert into media_uploads (interview_id, file_path, file_type, original_name)
      values ($1, $1::bigint || '/b.pdf', 'application/pdf', $2)`,
    [bare(scene), name],
  );

const addOrigin = (scene: Scene, id: number, kind: string | null) =>
  asKey(scene, `insert into contribution_origins (interview_id, area, kind) values ($1, 'firma-a', $2)`, [id, kind]);

const addTurn = (scene: Scene, id: number) =>
  asKey(scene, `insert into interview_turns (interview_id, position, speaker, content) values ($1, 5, 'user', 'Ja')`, [
    id,
  ]);

const sendMails = (scene: Scene) => asOwner(scene, `select desk_mail_configure('{team@beispiel.test}')`);

const getMails = async (scene: Scene, id: number): Promise<unknown[]> =>
  (await asOwner(scene, 'select mail from private.desk_mails where interview_id = $1 order by id', [id])).rows.map(
    (row) => row['mail'],
  );

const LINES = ['private.desk_refresh(bigint[])', 'private.desk_index(bigint[])'];

export const LISTING_RULES: readonly Rule[] = [
  {
    name: 'Listing: a new contribution has a line and words at once',
    about: ['public.interviews', 'on_desk_contribution_insert', 'private.on_desk_contribution_insert()', ...LINES],
    check: async (scene) => {
      const made = await asKey(scene, `insert into interviews (transcript) values ('Wälzlager') returning id`, []);
      const id = Number(made.rows[0]?.['id']);
      assert.deepEqual(await getLine(scene, id, 'kind, files, finished'), {
        kind: 'voice_message',
        files: 0,
        finished: false,
      });
      assert.equal(await wordsFind(scene, id, 'Wälzlager'), true);
    },
  },
  {
    name: 'Listing: a change of a contribution reaches its line and its words',
    about: ['public.interviews', 'on_desk_contribution_update', 'private.on_desk_contribution_update()', ...LINES],
    check: async (scene) => {
      await asKey(scene, SAVE_CONTACT, [bare(scene)]);
      assert.deepEqual(await getLine(scene, bare(scene), 'contributor, finished'), {
        contributor: `${CONTACT.contact_first_name} ${CONTACT.contact_last_name}`,
        finished: true,
      });
      assert.equal(await wordsFind(scene, bare(scene), 'Lovelace'), true);
      const other = await getLine(scene, getId(scene.fixture.bare, 'foreign'), 'finished');
      assert.deepEqual(other, { finished: false });
    },
  },
  {
    name: 'Listing: what a contribution says of its origin reaches its line',
    about: ['public.contribution_origins', 'on_desk_origin', 'on_desk_origin_update', 'private.on_desk_attached()'],
    check: async (scene) => {
      await addOrigin(scene, bare(scene), 'video');
      assert.deepEqual(await getLine(scene, bare(scene), 'kind'), { kind: 'video' });
      await asOwner(scene, `update contribution_origins set kind = 'image' where interview_id = $1`, [bare(scene)]);
      assert.deepEqual(await getLine(scene, bare(scene), 'kind'), { kind: 'image' });
    },
  },
  {
    name: 'Listing: files that come, change and go are counted',
    about: [
      'public.media_uploads',
      'on_desk_upload_insert',
      'on_desk_upload_update',
      'on_desk_upload_delete',
      'private.on_desk_attached()',
    ],
    check: async (scene) => {
      await addFile(scene, bare(scene), 'audio/webm');
      assert.deepEqual(await getLine(scene, bare(scene), 'kind, files'), { kind: 'voice_message', files: 1 });
      await asOwner(scene, `update media_uploads set file_type = 'application/pdf' where interview_id = $1`, [
        bare(scene),
      ]);
      assert.deepEqual(await getLine(scene, bare(scene), 'kind, files'), { kind: 'document', files: 1 });
      await asOwner(scene, 'delete from media_uploads where interview_id = $1', [bare(scene)]);
      assert.deepEqual(await getLine(scene, bare(scene), 'kind, files'), { kind: 'contributor', files: 0 });
    },
  },
  {
    name: 'Listing: a file is found by the name that its contributor gave it, in its own contribution alone',
    about: ['on_desk_upload_named', 'private.on_desk_upload_named()', 'private.desk_index(bigint[])'],
    check: async (scene) => {
      await addNamed(scene, 'Drehmomentkurve.pdf');
      assert.equal(await wordsFind(scene, bare(scene), 'Drehmomentkurve'), true);
      const other = getId(scene.fixture.bare, 'foreign');
      assert.equal(await wordsFind(scene, other, 'Drehmomentkurve'), false);
      await asOwner(scene, 'select private.desk_index(array[$1::bigint])', [other]);
      assert.equal(await wordsFind(scene, other, 'Drehmomentkurve'), false, 'also after it was indexed again');
      const written = () =>
        answer(scene, 'select xmin::text as value from private.desk_search where interview_id = $1', [bare(scene)]);
      const before = await written();
      await addFile(scene, bare(scene), 'application/pdf');
      assert.equal(await written(), before, 'a file without a name brings no words');
      assert.equal(await answer(scene, 'select count(*)::int as value from private.desk_stale'), 0, 'and no mend');
      await asOwner(scene, `update interviews set transcript = 'Wuchten' where id = $1`, [bare(scene)]);
      assert.equal(await wordsFind(scene, bare(scene), 'Wuchten & Drehmomentkurve'), true, 'also after a new text');
    },
  },
  {
    name: 'Listing: a name that cannot be indexed stops no upload and is mended later',
    about: ['on_desk_upload_named', 'private.on_desk_upload_named()'],
    check: async (scene) => {
      await asOwner(
        scene,
        `alter table private.desk_search add constraint broken
          check (not words @@ to_tsquery('german', 'Drehmomentkurve')) not valid`,
      );
      await addNamed(scene, 'Drehmomentkurve.pdf');
      const stale = `select jsonb_build_array(interview_id, cause) as value from private.desk_stale`;
      assert.deepEqual(await answer(scene, stale), [bare(scene), '23514']);
    },
  },
  {
    name: 'Listing: turns make an interview of a contribution whose kind is not known',
    about: ['public.interview_turns', 'on_desk_turns_insert', 'on_desk_turns_delete', 'private.on_desk_turns()'],
    check: async (scene) => {
      await addTurn(scene, bare(scene));
      assert.deepEqual(await getLine(scene, bare(scene), 'kind'), { kind: 'interview' });
      await asOwner(scene, 'delete from interview_turns where interview_id = $1', [bare(scene)]);
      assert.deepEqual(await getLine(scene, bare(scene), 'kind'), { kind: 'contributor' });
    },
  },
  {
    name: 'Listing: lines that cannot be mended keep a cause of their own',
    about: ['private.desk_mend()', 'public.desk_pulse()'],
    check: async (scene) => {
      const [first, second] = [bare(scene), getId(scene.fixture.bare, 'foreign')];
      await asOwner(
        scene,
        `insert into private.desk_stale (interview_id, cause, at)
          values (${first}, '22000', now() - interval '1 hour'), (${second}, '22000', now())`,
      );
      const broken = `check (interview_id <> ${first} and 1 / (interview_id - ${second}) is not null)`;
      await asOwner(scene, `alter table private.desk_items add constraint broken ${broken} not valid`);
      await answer(scene, 'select desk_pulse() as value', [], login(getMember(scene, 'admin')));
      const causes = await asOwner(scene, 'select cause from private.desk_stale order by interview_id');
      assert.deepEqual(causes.rows, [{ cause: '23514' }, { cause: '22012' }]);
    },
  },
  {
    name: 'Listing: a line that goes is remembered for the lists that show it',
    about: ['private.desk_items', 'on_desk_item_delete', 'private.on_desk_item_delete()'],
    check: async (scene) => {
      const removals = 'select count(*)::int as value from private.desk_removals';
      const before = Number(await answer(scene, removals));
      await asOwner(scene, 'delete from interviews where id = $1', [bare(scene)]);
      assert.equal(await answer(scene, removals), before + 1);
    },
  },
  {
    name: 'Listing: without an account the area is the generic one, with one it is kept (D4)',
    about: ['public.contribution_origins', 'on_origin_insert', 'private.on_origin_insert()'],
    check: async (scene) => {
      const area = (id: number) =>
        answer(scene, 'select area as value from contribution_origins where interview_id = $1', [id]);
      await addOrigin(scene, bare(scene), null);
      assert.equal(await area(bare(scene)), 'generic');
      const member = getMember(scene, 'firma_a');
      const own = getId(scene.fixture.bare, member.id);
      const insert = `insert into contribution_origins (interview_id, area) values ($1, 'firma-a')`;
      await mustWork(attempt(scene.database, login(member), insert, [own]));
      assert.equal(await area(own), 'firma-a');
      const { key, nobody, contributions } = scene.fixture;
      await asOwner(scene, 'delete from contribution_origins where interview_id = $1', [getId(contributions, 'bound')]);
      await mustWork(attempt(scene.database, login(nobody, key), insert, [getId(contributions, 'bound')]));
      assert.equal(await area(getId(contributions, 'bound')), 'generic');
      // The database's owner names any area.
      const foreign = getId(scene.fixture.bare, 'foreign');
      await asOwner(scene, `insert into contribution_origins (interview_id, area) values ($1, 'testnormec')`, [
        foreign,
      ]);
      assert.equal(await area(foreign), 'testnormec');
    },
  },
  {
    name: 'Listing: the audit log is never changed, not even by the owner',
    about: ['public.desk_audit_log', 'on_audit_change', 'private.on_audit_change()'],
    check: async (scene) => {
      for (const sql of [
        `update desk_audit_log set what = 'x'`,
        'delete from desk_audit_log',
        'truncate desk_audit_log',
      ]) {
        await mustBeRefused(scene.owner(sql));
      }
    },
  },
  {
    name: 'Mails: a finished contribution calls for one to the team, once',
    about: ['private.desk_items', 'on_desk_finished_update', 'private.on_desk_finished()', 'private.desk_mail_team()'],
    check: async (scene) => {
      await asKey(scene, `update interviews set transcript = 'x' where id = $1`, [bare(scene)]);
      await sendMails(scene);
      await asKey(scene, SAVE_CONTACT, [bare(scene)]);
      await asKey(scene, SAVE_CONTACT, [bare(scene)]);
      assert.deepEqual(await getMails(scene, bare(scene)), ['new']);
    },
  },
  {
    name: 'Mails: a contribution that comes with its contact details calls for one as well',
    about: ['private.desk_items', 'on_desk_finished_insert', 'private.on_desk_finished()'],
    check: async (scene) => {
      await sendMails(scene);
      const made = await asOwner(
        scene,
        `insert into interviews (contact_email) values ('a@beispiel.test') returning id`,
      );
      assert.deepEqual(await getMails(scene, Number(made.rows[0]?.['id'])), ['new']);
    },
  },
  {
    name: 'Mails: without a sender there are none',
    about: ['private.on_desk_finished()', 'private.on_desk_state()', 'private.desk_mail_team()'],
    check: async (scene) => {
      await asKey(scene, SAVE_CONTACT, [bare(scene)]);
      await asOwner(
        scene,
        `insert into private.desk_events (interview_id, what, before, after) values ($1, 'state', 'new', 'for_review')`,
        [bare(scene)],
      );
      assert.deepEqual(await getMails(scene, bare(scene)), []);
    },
  },
  {
    name: 'Mails: to the team’s addresses, else to each administrator',
    about: ['private.on_desk_finished()'],
    check: async (scene) => {
      await asOwner(scene, `select desk_mail_configure('{}')`);
      const locked = getMember(scene, 'firma_a').id;
      await asOwner(scene, `update user_roles set role = 'admin' where user_id = $1`, [locked]);
      await asOwner(scene, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [locked]);
      await asKey(scene, SAVE_CONTACT, [bare(scene)]);
      const told = await asOwner(scene, 'select colleague, address from private.desk_mails where interview_id = $1', [
        bare(scene),
      ]);
      assert.deepEqual(told.rows, [{ colleague: getMember(scene, 'admin').id, address: null }]);
      await asOwner(scene, `select desk_mail_configure('{Team@beispiel.test}')`);
      const other = getId(scene.fixture.bare, 'foreign');
      await asOwner(scene, SAVE_CONTACT, [other]);
      const team = await asOwner(scene, 'select colleague, address from private.desk_mails where interview_id = $1', [
        other,
      ]);
      assert.deepEqual(team.rows, [{ colleague: null, address: 'team@beispiel.test' }]);
    },
  },
  {
    name: 'Mails: a review and a publication call for one to the contributor',
    about: ['private.desk_events', 'on_desk_state', 'private.on_desk_state()'],
    check: async (scene) => {
      await sendMails(scene);
      const admin = login(getMember(scene, 'admin'));
      const change = (version: number, to: string) =>
        mustWork(attempt(scene.database, admin, 'select desk_change($1, $2, $3)', [bare(scene), version, to]));
      await change(1, '{"state": "in_progress"}');
      await change(2, '{"state": "for_review"}');
      await asOwner(scene, `update private.desk_mails set state = 'sent'`);
      await change(3, '{"state": "published", "url": "https://beispiel.test/a"}');
      assert.deepEqual(await getMails(scene, bare(scene)), ['for_review', 'published']);
    },
  },
  {
    name: 'Mails: what the team takes back before its mail is sent is told to nobody, and only the link that holds is',
    about: ['private.desk_events', 'on_desk_state', 'private.on_desk_state()'],
    check: async (scene) => {
      await sendMails(scene);
      const other = getId(scene.fixture.bare, 'foreign');
      const admin = login(getMember(scene, 'admin'));
      let version = 0;
      const change = (to: object) =>
        mustWork(
          attempt(scene.database, admin, 'select desk_change($1, $2, $3)', [
            bare(scene),
            (version += 1),
            JSON.stringify(to),
          ]),
        );
      const add = `insert into private.desk_mails (key, interview_id, mail, state) values
        (gen_random_uuid(), $1, 'published', 'waiting'), (gen_random_uuid(), $2, 'published', 'sending'),
        (gen_random_uuid(), $2, 'published', 'claimed'), (gen_random_uuid(), $2, 'receipt', 'waiting')`;
      await asOwner(scene, add, [other, bare(scene)]);
      const published = (url: string) => change({ state: 'published', url: `https://beispiel.test/${url}` });
      for (const url of ['falsch', 'richtig']) await published(url);
      const waiting = `select e.text as value
        from private.desk_mails as m join private.desk_events as e on e.id = m.event_id`;
      assert.deepEqual(await getValues(scene, waiting), ['https://beispiel.test/richtig']);
      await change({ state: 'for_review' });
      assert.deepEqual(await getMails(scene, bare(scene)), ['published', 'receipt', 'for_review']);
      await asOwner(
        scene,
        `insert into private.desk_mails (key, interview_id, mail, asked_by)
          select gen_random_uuid(), $1, mail, asked
          from (values ('review', $2::uuid), ('review_reminder', null), ('review', null))
            as m (mail, asked)`,
        [bare(scene), getMember(scene, 'admin').id],
      );
      await change({ state: 'in_progress' });
      assert.equal((await getMails(scene, bare(scene))).length, 5);
      await change({ state: 'rejected' });
      assert.deepEqual(await getMails(scene, bare(scene)), ['published', 'receipt', 'review']);
      assert.deepEqual(await getMails(scene, other), ['published']);
      // A contributor who was not asked because of the rejection is asked once it is taken back.
      await asOwner(scene, `delete from private.desk_mails where mail = 'review'`);
      const post = await addPost(scene, bare(scene));
      const sent = `insert into private.desk_events (interview_id, what, before, after)
        values ($1, 'mail', 'review', 'sent')`;
      const revoked = `insert into private.review_links (interview_id, key_hash, revoked_at)
        values ($1, sha256('a'), now()), (${other}, sha256('b'), null)`;
      const elsewhere = `insert into private.desk_events (interview_id, what, before, after, at)
        select id, 'mail', 'review', 'sent', now() + interval '1 hour' from interviews where id <> $1`;
      await asOwner(scene, elsewhere, [bare(scene)]);
      const foreign = `update posts set state = 'in_review', sent_version = 1, changed_at = 'infinity' where id = $1`;
      await asOwner(scene, foreign, [await addPost(scene, other)]);
      const draft = `update posts set state = 'draft', sent_version = null where interview_id = $1`;
      for (const [before, asked] of [
        [draft, []],
        [sent.replace("'review'", "'receipt'"), ['review']],
        [sent, []],
        [`update posts set changed_at = clock_timestamp() where interview_id = $1`, ['review']],
        [revoked, []],
      ] as const) {
        await asOwner(scene, `update posts set state = 'in_review', sent_version = 1 where id = $1`, [post]);
        await asOwner(scene, before, [bare(scene)]);
        await change({ state: 'in_progress' });
        assert.deepEqual(await getMails(scene, bare(scene)), ['published', 'receipt', ...asked]);
        await change({ state: 'rejected' });
      }
      // A state that follows from the posts was not set by the team.
      await asOwner(scene, add, [other, bare(scene)]);
      await asOwner(
        scene,
        `insert into private.desk_events (interview_id, what, before, after, of_posts)
          values ($1, 'state', 'for_review', 'in_progress', true)`,
        [other],
      );
      assert.equal((await getMails(scene, other)).length, 2);
    },
  },
  {
    name: 'Listing: who is no administrator any more is named as one who is gone while something is assigned (0389)',
    about: ['public.desk_colleagues()'],
    check: async (scene) => {
      const { id, email } = getMember(scene, 'firma_a');
      const listed = () => answer(scene, 'select desk_colleagues() as value', [], login(getMember(scene, 'admin')));
      const names = async () => JSON.stringify(await listed()).includes(email);
      assert.equal(await names(), false);
      await asOwner(scene, 'update private.desk_items set assignee = $2 where interview_id = $1', [bare(scene), id]);
      const found = ((await listed()) as { id: string; locked: boolean }[]).find((one) => one.id === id);
      assert.equal(found?.locked, true);
      await asOwner(scene, 'update private.desk_items set assignee = null where interview_id = $1', [bare(scene)]);
      assert.equal(await names(), false);
    },
  },
  {
    name: 'Listing: open lists hear of it where the account goes that has a contribution',
    about: ['private.desk_items', 'on_desk_assignee_gone', 'private.on_desk_assignee_gone()'],
    check: async (scene) => {
      const { id } = scene.fixture.nobody;
      const pulse = () => answer(scene, 'select desk_pulse() as value', [], login(getMember(scene, 'admin')));
      await asOwner(scene, 'update private.desk_items set assignee = $2 where interview_id = $1', [bare(scene), id]);
      const before = await pulse();
      await asOwner(scene, 'delete from auth.users where id = $1', [id]);
      assert.deepEqual(await getLine(scene, bare(scene), 'assignee, version'), { assignee: null, version: 1 });
      assert.notEqual(await pulse(), before);
    },
  },
];
