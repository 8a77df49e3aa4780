import { strict as assert } from 'node:assert';
import type { CallerContext } from '#backend/database/index.ts';
import { anon, attempt, login, getRows, service, type Outcome } from '#tests/support/callers.ts';
import { sentPost } from '#tests/support/matrix-cases.ts';
import {
  getId,
  getMember,
  mustBeRefused,
  mustWork,
  answer,
  withClaims,
  withHeaders,
  type Rule,
  type Scene,
} from './rules.ts';

/** `:bound`, `:foreign` are contributions, `:email` is the address of the account `other`. */
type Call = Readonly<{ sql: string; by: readonly CallerName[] }>;
type CallerName = (typeof CALLER_NAMES)[number];
const CALLER_NAMES = ['anon', 'no role', 'firma_a', 'vdi_admin', 'admin', 'service'] as const;

const UUID = `'00000000-0000-4000-8000-000000000009'`;
const FOREVER = `'2020-01-01'`;
const ADMIN = ['admin'] as const;
const SERVICE = ['service'] as const;
const ALL_BUT_SERVICE = ['anon', 'no role', 'firma_a', 'vdi_admin', 'admin'] as const;
const LOGINS = ['no role', 'firma_a', 'vdi_admin', 'admin', 'service'] as const;

/** Every function of the schema public, a call of it, and who is not refused. */
export const CALLS: Readonly<Record<string, Call>> = {
  'public.admin_statistics()': { sql: 'admin_statistics()', by: ['admin', 'service'] },
  'public.admin_posts()': { sql: 'admin_posts()', by: ['admin', 'service'] },
  'public.admin_activity(integer)': { sql: 'admin_activity(2)', by: ['admin', 'service'] },
  'public.accept_consent(bigint,text)': { sql: `accept_consent(0, 'x')`, by: ALL_BUT_SERVICE },
  'public.answer_image_rights(text,text)': { sql: `answer_image_rights('1/a.png', 'agreed')`, by: ALL_BUT_SERVICE },
  'public.desk_audit(bigint,text,jsonb)': { sql: `desk_audit(:bound, 'view')`, by: ['admin', 'service'] },
  'public.desk_change(bigint,integer,jsonb)': { sql: `desk_change(:bound, 1, '{"note": "x"}')`, by: ADMIN },
  'public.desk_colleagues()': { sql: 'desk_colleagues()', by: ADMIN },
  'public.desk_contribution(bigint)': { sql: 'desk_contribution(:bound)', by: ADMIN },
  'public.desk_dossier(bigint)': { sql: 'desk_dossier(:bound)', by: ADMIN },
  'public.desk_erase(jsonb)': { sql: `desk_erase('{"contribution": :bound}')`, by: ADMIN },
  'public.desk_erasures(uuid)': { sql: 'desk_erasures()', by: ADMIN },
  'public.desk_image_rights(bigint,text)': {
    sql: `desk_image_rights((select min(id) from media_uploads), 'agreed')`,
    by: ADMIN,
  },
  'public.desk_gone(bigint[])': { sql: 'desk_gone(array[:bound])', by: ADMIN },
  'public.desk_inbox(jsonb)': { sql: 'desk_inbox()', by: ADMIN },
  'public.desk_person(text)': { sql: 'desk_person(:email)', by: ADMIN },
  'public.desk_person_dossier(text)': { sql: 'desk_person_dossier(:email)', by: ADMIN },
  'public.desk_post_add(bigint,text,text,jsonb,text,text)': { sql: `desk_post_add(:bound, 'x', 'Text')`, by: ADMIN },
  'public.desk_post_move(bigint,integer,text,text,timestamp with time zone)': {
    sql: `desk_post_move(:draft, 1, 'declined')`,
    by: ADMIN,
  },
  'public.desk_post_remove(bigint,integer)': { sql: 'desk_post_remove(:draft, 1)', by: ADMIN },
  'public.desk_post_save(bigint,integer,text,jsonb,text,text,timestamp with time zone)': {
    sql: `desk_post_save(:draft, 1, 'x')`,
    by: ADMIN,
  },
  'public.desk_posts(bigint)': { sql: 'desk_posts(:bound)', by: ADMIN },
  'public.desk_pulse()': { sql: 'desk_pulse()', by: ADMIN },
  'public.desk_retention(timestamp with time zone,text)': { sql: 'desk_retention(now())', by: ADMIN },
  'public.desk_review_request(bigint,jsonb)': { sql: 'desk_review_request(:bound)', by: ADMIN },
  'public.desk_review_revoke(bigint)': { sql: 'desk_review_revoke(:bound)', by: ADMIN },
  'public.desk_review_send(bigint,jsonb,text)': {
    sql: `desk_review_send(:bound, '[]', repeat('0', 64))`,
    by: ADMIN,
  },
  'public.desk_ticket_keep(text,text)': { sql: `desk_ticket_keep('01', '01')`, by: ADMIN },
  'public.desk_ticket_redeem(text)': {
    sql: `desk_ticket_redeem('01')`,
    by: ALL_BUT_SERVICE,
  },
  'public.review_answer(bigint,integer,text,text)': {
    sql: `review_answer(:sent, 1, 'approve')`,
    by: ALL_BUT_SERVICE,
  },
  'public.discard_contribution(bigint)': {
    sql: 'discard_contribution(:bound)',
    by: ['no role', 'firma_a', 'vdi_admin', 'admin'],
  },
  'public.own_contributions(timestamp with time zone,bigint)': {
    sql: 'own_contributions()',
    by: ['no role', 'firma_a', 'vdi_admin', 'admin'],
  },
  'public.own_review_link(bigint)': {
    sql: 'own_review_link(:bound)',
    by: ['no role', 'firma_a', 'vdi_admin', 'admin'],
  },
  'public.review_key_counts()': { sql: 'review_key_counts()', by: ALL_BUT_SERVICE },
  'public.review_open()': { sql: 'review_open()', by: ALL_BUT_SERVICE },
  'public.review_withdraw(bigint,text)': { sql: 'review_withdraw(:sent)', by: ALL_BUT_SERVICE },
  'public.desk_erasure_begin(uuid,bigint,bigint)': { sql: 'desk_erasure_begin(:erasure, :bound, 0)', by: SERVICE },
  'public.desk_erasure_begin_person(uuid,bigint)': { sql: `desk_erasure_begin_person(${UUID}, 0)`, by: SERVICE },
  'public.desk_erasure_claim(uuid)': { sql: 'desk_erasure_claim()', by: SERVICE },
  'public.desk_erasure_finish(uuid)': { sql: `desk_erasure_finish(${UUID})`, by: SERVICE },
  'public.desk_erasure_forget(uuid)': { sql: `desk_erasure_forget(${UUID})`, by: SERVICE },
  'public.desk_erasure_gone()': { sql: 'desk_erasure_gone()', by: SERVICE },
  'public.desk_erasure_letters(bigint)': { sql: 'desk_erasure_letters(:bound)', by: SERVICE },
  'public.desk_erasure_next(uuid)': { sql: `desk_erasure_next(${UUID})`, by: SERVICE },
  'public.desk_erasure_person(uuid)': { sql: `desk_erasure_person(${UUID})`, by: SERVICE },
  'public.desk_erasure_release(uuid)': { sql: `desk_erasure_release(${UUID})`, by: SERVICE },
  'public.desk_erasure_rows(bigint)': { sql: 'desk_erasure_rows(:bound)', by: SERVICE },
  'public.desk_erasure_stragglers()': { sql: 'desk_erasure_stragglers()', by: SERVICE },
  'public.desk_mail_begin(bigint,uuid)': { sql: `desk_mail_begin(1, ${UUID})`, by: SERVICE },
  'public.desk_mail_claim()': { sql: 'desk_mail_claim()', by: SERVICE },
  'public.desk_mail_configure(text[])': { sql: `desk_mail_configure('{}')`, by: SERVICE },
  'public.receipt_mail_configure(integer)': { sql: 'receipt_mail_configure(1)', by: SERVICE },
  'public.desk_mail_set_pause(integer)': { sql: 'desk_mail_set_pause(0)', by: SERVICE },
  'public.desk_mail_settle(bigint,uuid,text,text)': { sql: `desk_mail_settle(1, ${UUID}, 'sent')`, by: SERVICE },
  'public.desk_retain(timestamp with time zone,uuid)': { sql: `desk_retain(${FOREVER}, null)`, by: SERVICE },
  'public.desk_retain_daily(integer,timestamp with time zone)': {
    sql: `desk_retain_daily(30, ${FOREVER})`,
    by: SERVICE,
  },
  'public.review_link_request(text)': { sql: `review_link_request(repeat('0', 64))`, by: SERVICE },
  'public.review_mail_key(bigint,uuid,text)': {
    sql: `review_mail_key(1, ${UUID}, repeat('0', 64))`,
    by: SERVICE,
  },
  'public.review_remind(integer[])': { sql: `review_remind('{3}')`, by: SERVICE },
  'public.end_session(uuid)': { sql: `end_session(${UUID})`, by: LOGINS },
  'public.my_sessions()': { sql: 'my_sessions()', by: LOGINS },
  'public.second_factor_missing()': { sql: 'second_factor_missing()', by: LOGINS },
};

function getCaller(scene: Scene, name: CallerName): CallerContext {
  if (name === 'anon') return anon(scene.fixture.key);
  if (name === 'service') return service();
  if (name === 'no role') return login(scene.fixture.nobody);
  return login(getMember(scene, name));
}

function fill({ fixture }: Scene, sql: string): string {
  return sql
    .replaceAll(':bound', String(getId(fixture.contributions, 'bound')))
    .replaceAll(':sent', String(sentPost(getId(fixture.contributions, 'bound'))))
    .replaceAll(':draft', String(DRAFT))
    .replaceAll(':erasure', `'${ERASURE}'`)
    .replaceAll(':email', `'${fixture.other.email}'`);
}

const ERASURE = '00000000-0000-4000-8000-000000000003';
const DRAFT = 900_001;
const REVIEW_KEY = 'r'.repeat(43);
const PREPARE = [
  `insert into private.erasures (id, what, contribution) values ('${ERASURE}', 'contribution', 1)`,
  `insert into posts (id, interview_id, channel) overriding system value values (:draft, :bound, 'linkedin')`,
  `insert into post_versions (post_id, version, body) values (:draft, 1, 'Text')`,
  `insert into private.review_links (interview_id, key_hash) values (:bound, sha256('${REVIEW_KEY}'))`,
  `insert into private.settings (name, value) values ('desk_mail', '{"to": []}')
    on conflict on constraint settings_pkey do nothing`,
  `update interviews set contact_email = 'ada@beispiel.test' where id = :bound`,
];

const ADMISSION_RULES = Object.entries(CALLS).flatMap(([signature, { sql, by }]) =>
  CALLER_NAMES.map((name): Rule => ({
    name: `Functions: ${signature}, called by ${name}: ${by.includes(name) ? 'answers' : '42501'} (§6)`,
    about: [signature],
    check: async (scene) => {
      for (const before of PREPARE) await mustWork(scene.owner(fill(scene, before)));
      const caller = withHeaders(getCaller(scene, name), { 'x-review-key': REVIEW_KEY });
      const attempted = attempt(scene.database, caller, `select * from ${fill(scene, sql)}`);
      if (by.includes(name)) await mustWork(attempted);
      else await mustBeRefusedAsFunction(attempted, signature);
    },
  })),
);

/**
 * The answer is the same whether the privilege is missing or the function refuses, and names no function that it calls.
 */
async function mustBeRefusedAsFunction(attempted: Promise<Outcome>, signature: string): Promise<void> {
  await mustBeRefused(attempted);
  const outcome = await attempted;
  const name = /^public\.(\w+)/.exec(signature)?.[1];
  assert.equal(outcome.kind === 'refused' && outcome.message, `permission denied for function ${name}`);
}

const AUTHORITY = ['private.member_id()', 'private.is_admin()', 'private.lacks_second_factor(text)'];
const CONTRIBUTIONS = 'select from interviews';

async function requireFactor(scene: Scene, roles: string): Promise<void> {
  await mustWork(scene.owner('select private.require_second_factor($1)', [roles]));
}

const AUTHORITY_RULES: readonly Rule[] = [
  {
    name: 'Authority: a role that is taken away is gone at once, with all it gave (D14)',
    about: [...AUTHORITY, 'public.interviews', 'public.user_roles'],
    check: async (scene) => {
      const member = login(getMember(scene, 'firma_a'));
      const admin = login(getMember(scene, 'admin'));
      assert.equal((await getRows(scene.database, member, CONTRIBUTIONS)).length, 2);
      await mustWork(scene.owner(`delete from user_roles where role in ('firma_a', 'admin')`));
      for (const caller of [member, admin]) {
        assert.equal((await getRows(scene.database, caller, CONTRIBUTIONS)).length, 0);
        const change = attempt(scene.database, caller, `update interviews set transcript = 'x'`);
        assert.equal((await mustWork(change)).count, 0);
        assert.equal((await getRows(scene.database, caller, 'select from storage.objects')).length, 0);
        await mustBeRefused(attempt(scene.database, caller, 'insert into interviews default values'));
      }
      await mustBeRefused(attempt(scene.database, admin, 'select desk_inbox()'));
    },
  },
  {
    name: 'Authority: a token’s own role and claims give nothing (threat 5)',
    about: AUTHORITY,
    check: async (scene) => {
      const forged = withClaims(login(scene.fixture.nobody), { user_role: 'admin', app_metadata: { role: 'admin' } });
      await mustBeRefused(attempt(scene.database, forged, 'select desk_inbox()'));
      assert.equal((await getRows(scene.database, forged, CONTRIBUTIONS)).length, 0);
    },
  },
  {
    name: 'Authority: a role that requires a second factor has no rights before it was shown (§6)',
    about: [...AUTHORITY, 'public.second_factor_missing()', 'private.require_second_factor(text[])'],
    check: async (scene) => {
      await requireFactor(scene, '{admin,firma_a}');
      for (const role of ['admin', 'firma_a'] as const) {
        const caller = login(getMember(scene, role));
        for (const weak of [withClaims(caller, { aal: 'aal1' }), withClaims(caller, { aal: undefined })]) {
          assert.equal((await getRows(scene.database, weak, CONTRIBUTIONS)).length, 0);
          assert.equal((await getRows(scene.database, weak, 'select from media_uploads')).length, 0);
          await mustBeRefused(attempt(scene.database, weak, 'select desk_inbox()'));
          const missing = await getRows(scene.database, weak, 'select second_factor_missing() as missing');
          assert.deepEqual(missing, [{ missing: true }]);
        }
      }
    },
  },
  {
    name: 'Authority: a role of which none is required works without a second factor (§6)',
    about: [...AUTHORITY, 'public.second_factor_missing()'],
    check: async (scene) => {
      await requireFactor(scene, '{admin}');
      const member = withClaims(login(getMember(scene, 'firma_a')), { aal: 'aal1' });
      assert.equal((await getRows(scene.database, member, CONTRIBUTIONS)).length, 2);
      const missing = await getRows(scene.database, member, 'select second_factor_missing() as missing');
      assert.deepEqual(missing, [{ missing: false }]);
    },
  },
  {
    name: 'Authority: a member is a member by its own account only (§6)',
    about: AUTHORITY,
    check: async (scene) => {
      const ids = `select private.member_id() as id, private.is_admin() as admin`;
      const member = getMember(scene, 'firma_a');
      assert.deepEqual(await getRows(scene.database, login(member), ids), [{ id: member.id, admin: false }]);
      const admin = getMember(scene, 'admin');
      assert.deepEqual(await getRows(scene.database, login(admin), ids), [{ id: admin.id, admin: true }]);
      assert.deepEqual(await getRows(scene.database, login(scene.fixture.nobody), ids), [{ id: null, admin: false }]);
      assert.deepEqual(await getRows(scene.database, anon(), ids), [{ id: null, admin: false }]);
    },
  },
  {
    name: 'Authority: everybody below an administrator reads the own role and no other (§6)',
    about: ['public.user_roles'],
    check: async (scene) => {
      const member = login(getMember(scene, 'vdi_admin'));
      assert.deepEqual(await getRows(scene.database, member, 'select role from user_roles'), [{ role: 'vdi_admin' }]);
      const all = await answer(scene, 'select count(*)::int as value from user_roles');
      const admin = login(getMember(scene, 'admin'));
      assert.equal((await getRows(scene.database, admin, 'select from user_roles')).length, all);
    },
  },
];

/** Rules of the catalogue that no single caller shows. */
const CATALOGUE_RULES: readonly Rule[] = [
  {
    name: 'Functions: the caller of one with its owner’s privileges does not choose its search_path (threat 5)',
    about: ['search_path'],
    check: async (scene) => {
      const open = await mustWork(
        scene.owner(`select oid::regprocedure::text as name from pg_proc
          where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and prosecdef
            and not coalesce(proconfig @> array['search_path=""'], false)`),
      );
      assert.deepEqual(open.rows, []);
    },
  },
];

export const FUNCTION_RULES: readonly Rule[] = [...ADMISSION_RULES, ...AUTHORITY_RULES, ...CATALOGUE_RULES];
