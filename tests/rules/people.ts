import { strict as assert } from 'node:assert';
import { login } from '#tests/support/callers.ts';
import { sentPost } from '#tests/support/matrix-cases.ts';
import { answer, getAdmin, boundId, foreignId, getId, getMember, must, type Rule, type Scene } from './rules.ts';

const asAdmin = (scene: Scene, sql: string, params: readonly unknown[] = []) =>
  answer(scene, `select ${sql} as value`, params, login(getAdmin(scene)));

/**
 * Of two people: sessions, identities, mails, lines of the log; the first one has a contribution under a contact’s
 * address, too.
 */
async function furnish(scene: Scene): Promise<readonly number[]> {
  const { other, bare } = scene.fixture;
  const member = getMember(scene, 'firma_a');
  const contact = getId(bare, 'bound');
  await must(scene, 'delete from private.desk_mails');
  await must(scene, 'update interviews set contact_email = upper($1) where id = $2', [other.email, contact]);
  // Its address was another one then.
  await must(scene, `update interviews set user_email = 'frueher@beispiel.test' where id = $1`, [
    getId(bare, 'foreign'),
  ]);
  await must(scene, `insert into storage.objects (bucket_id, name) values ('Media', $1::bigint || '/2_b.png')`, [
    contact,
  ]);
  for (const { id } of [other, member]) {
    await must(
      scene,
      `insert into auth.identities (provider_id, user_id, identity_data, provider)
        values ($1::text, $1::text::uuid, '{}', 'google')`,
      [id],
    );
    await must(
      scene,
      `insert into auth.sessions (user_id, aal, user_agent) values ($1::text::uuid, 'aal1', $1::text)`,
      [id],
    );
  }
  for (const id of [foreignId(scene), getId(scene.fixture.contributions, member.id)]) {
    await must(
      scene,
      `insert into private.desk_mails (key, interview_id, mail, state)
        values ('w' || $1::bigint, $1::bigint, 'new', 'waiting'), ('s' || $1::bigint, $1::bigint, 'new', 'sent')`,
      [id],
    );
    await must(scene, `insert into private.desk_events (interview_id, what) values ($1, 'note')`, [id]);
  }
  return [foreignId(scene), getId(bare, 'foreign'), contact].toSorted((a, b) => a - b);
}

/** Makes it an account of the company's sign-on, with an address that another account has, too. */
export const signOnToo = (scene: Scene, id: string, email: string) =>
  must(scene, 'update auth.users set is_sso_user = true, email = upper($2) where id = $1', [id, email]);

export const PEOPLE_RULES: readonly Rule[] = [
  {
    name: 'People: what there is about one is counted, and nothing of another one',
    about: [
      'public.desk_person(text)',
      'private.contributions_of(text)',
      'private.accounts_of(text)',
      'private.mails_of(bigint[],text,uuid[])',
    ],
    check: async (scene) => {
      const ids = await furnish(scene);
      const { other } = scene.fixture;
      const person = (await asAdmin(scene, 'desk_person($1)', [` ${other.email} `])) as Record<string, unknown>;
      const { letters, ids: found, ...counts } = person;
      assert.deepEqual(
        (found as number[]).toSorted((a, b) => a - b),
        ids,
      );
      assert.equal((letters as unknown[]).length, 2);
      assert.deepEqual(counts, {
        contributions: 3,
        files: 2,
        turns: 1,
        feedback: 1,
        posts: 1,
        mails: 1,
        auditEntries: 1,
        account: { id: other.id, role: 'firma_b', erasable: 'yes' },
      });
    },
  },
  {
    name: 'People: a dossier has the person’s own account, sessions, mails and log',
    about: [
      'public.desk_person_dossier(text)',
      'private.contributions_of(text)',
      'private.accounts_of(text)',
      'private.account_dossier(uuid)',
    ],
    check: async (scene) => {
      const ids = await furnish(scene);
      const { other } = scene.fixture;
      const sql = `(select jsonb_build_array(d -> 'contributions', d #> '{account,id}', jsonb_array_length(d #> '{account,identities}'),
        jsonb_path_query_array(d, '$.account.sessions[*].user_agent'), jsonb_array_length(d -> 'mails'),
        jsonb_path_query_array(d, '$.audit[*].interview_id'), d #> '{account,role}') from desk_person_dossier($1) as d)`;
      const expected = [ids, other.id, 1, [other.id], 2, [foreignId(scene)], 'firma_b'];
      assert.deepEqual(await asAdmin(scene, sql, [other.email]), expected);
    },
  },
  {
    name: 'People: a dossier has the second factors of an account, and from where it was used when',
    about: ['public.desk_person_dossier(text)', 'private.account_dossier(uuid)'],
    check: async (scene) => {
      for (const { id } of [scene.fixture.other, getMember(scene, 'firma_a')]) {
        await must(
          scene,
          `insert into auth.mfa_factors (id, user_id, factor_type, status, phone, friendly_name, created_at, updated_at)
            values (gen_random_uuid(), $1::text::uuid, 'phone', 'verified', '49' || $1::text, 'Handy', now(), now())`,
          [id],
        );
        await must(
          scene,
          `insert into auth.audit_log_entries (payload, ip_address) values
            (json_build_object('action', 'login', 'actor_id', $1::text), '192.0.2.1'),
            (json_build_object('action', 'user_modified', 'traits', json_build_object('user_id', $1::text)),
              '192.0.2.2')`,
          [id],
        );
      }
      const { id, email } = scene.fixture.other;
      const told = `(select jsonb_build_array(jsonb_path_query_array(d, '$.account.factors[*].phone'),
        jsonb_path_query_array(d, '$.account.log[*].address')) from desk_person_dossier($1) as d)`;
      assert.deepEqual(await asAdmin(scene, told, [email]), [[`49${id}`], ['192.0.2.1', '192.0.2.2']]);
    },
  },
  {
    name: 'People: an account of the company’s sign-on with the same address is told of, too, with what it handed in',
    about: [
      'private.accounts_of(text)',
      'private.contributions_of(text)',
      'public.desk_person(text)',
      'public.desk_person_dossier(text)',
    ],
    check: async (scene) => {
      const { other, nobody } = scene.fixture;
      const ids = (await asAdmin(scene, `desk_person($1) -> 'ids'`, [other.email])) as number[];
      await signOnToo(scene, nobody.id, other.email);
      const made = `insert into interviews (user_id, user_email)
        values ($1, 'frueher@beispiel.test') returning id as value`;
      const id = Number(await answer(scene, made, [nobody.id]));
      await must(scene, `insert into user_roles (user_id, role) values ($1, 'testnormec')`, [nobody.id]);
      const told = `(select jsonb_build_array(d -> 'contributions', d #> '{account,id}',
        jsonb_path_query_array(d, '$.furtherAccounts[*].id')) from desk_person_dossier($1) as d)`;
      assert.deepEqual(await asAdmin(scene, told, [other.email]), [
        [...ids, id].toSorted((a, b) => a - b),
        other.id,
        [nobody.id],
      ]);
      const account = `desk_person($1) -> 'account'`;
      const expected = { id: other.id, role: 'firma_b', erasable: 'yes' };
      assert.deepEqual(await asAdmin(scene, account, [other.email]), expected);
      assert.equal(await asAdmin(scene, account, ['keiner@beispiel.test']), null);
      await must(scene, 'delete from user_roles where user_id = $1', [other.id]);
      assert.deepEqual(await asAdmin(scene, account, [other.email]), { ...expected, role: 'testnormec' });
      await signOnToo(scene, other.id, getAdmin(scene).email);
      assert.deepEqual(await asAdmin(scene, account, [getAdmin(scene).email]), {
        id: getAdmin(scene).id,
        role: 'admin',
        erasable: 'own_account',
      });
    },
  },
  {
    name: 'People: the dossier of a contribution has its own origin, line and events, and each look is logged',
    about: ['public.desk_dossier(bigint)', 'public.desk_person(text)', 'public.desk_person_dossier(text)'],
    check: async (scene) => {
      await furnish(scene);
      const links = `insert into private.review_links (interview_id, key_hash) values ($1, sha256('a')), ($2, sha256('b'))`;
      await must(scene, links, [foreignId(scene), boundId(scene)]);
      const sql = `(select jsonb_build_array(d #> '{interview,id}', d #> '{origin,area}', d #> '{desk,files}', jsonb_array_length(d -> 'events'),
          jsonb_path_query_array(d, '$.posts[*].id'), jsonb_path_query_array(d, '$.posts[*].versions[*].body'),
          jsonb_path_query_array(d, '$.posts[*].answers[*].answer'), jsonb_array_length(d -> 'reviewLinks'),
          jsonb_path_query_array(d, '$.reviewLinks[*].key_hash'))
        from desk_dossier($1) as d)`;
      const told = (id: number, events: number) => [
        id,
        'generic',
        1,
        events,
        [sentPost(id)],
        ['Text'],
        ['approve'],
        1,
        [],
      ];
      assert.deepEqual(await asAdmin(scene, sql, [foreignId(scene)]), told(foreignId(scene), 1));
      assert.deepEqual(await asAdmin(scene, sql, [boundId(scene)]), told(boundId(scene), 0));
      assert.equal(await asAdmin(scene, 'desk_dossier(999999)'), null);
      await asAdmin(scene, 'desk_person($1)', [scene.fixture.other.email]);
      await asAdmin(scene, 'desk_person_dossier($1)', [scene.fixture.other.email]);
      const log = `select jsonb_agg(jsonb_build_array(what, interview_id, detail) order by id) as value
        from desk_audit_log where what in ('dossier', 'person', 'export')`;
      assert.deepEqual(await answer(scene, log), [
        ['dossier', foreignId(scene), {}],
        ['dossier', boundId(scene), {}],
        ['person', null, { contributions: 3 }],
        ['export', null, { contributions: 3 }],
      ]);
    },
  },
];
