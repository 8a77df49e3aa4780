/**
 * Every privilege that the request roles have in the schemas public and private. What is not listed here, they do not
 * have: tests/wire/schema-privileges.test.ts compares this with the catalogue in both directions.
 */
type Grantee = 'PUBLIC' | 'anon' | 'authenticated' | 'service_role';

/** Privileges of tables; those of columns stand behind them as `insert (a, b)`. */
const TABLES: Readonly<Record<string, Partial<Record<Grantee, readonly string[]>>>> = {
  'public.interviews': same(
    'select',
    'insert',
    'update (completed_at, transcript, contact_first_name, contact_last_name, contact_email, w_questions_answers)',
  ),
  'public.media_uploads': same(
    'select',
    'insert (interview_id, file_path, file_type, spoken, image_rights, original_name)',
  ),
  'public.interview_turns': same('select', 'insert (interview_id, conversation_id, position, speaker, content)'),
  'public.feedback': same('select', 'insert (interview_id, conversation_id, event_id, score)'),
  'public.contribution_origins': same('select', 'insert (interview_id, area, kind, topic)'),
  'public.user_roles': { authenticated: ['select'], service_role: ['all'] },
  // Functions write the audit log; the service reads it like an administrator.
  'public.desk_audit_log': { authenticated: ['select'], service_role: ['select'] },
  'public.posts': { authenticated: ['select'], service_role: ['select'] },
  'public.post_versions': { authenticated: ['select'], service_role: ['select'] },
  'public.review_answers': { authenticated: ['select'], service_role: ['select'] },
};

/** Sequences: the default of a column needs none, because the service alone may name an id. */
const SEQUENCES: Readonly<Record<string, Partial<Record<Grantee, readonly string[]>>>> = {
  'public.interviews_id_seq': { service_role: ['all'] },
  'public.media_uploads_id_seq': { service_role: ['all'] },
  'public.interview_turns_id_seq': { service_role: ['all'] },
  'public.feedback_id_seq': { service_role: ['all'] },
};

const SCHEMAS: Readonly<Record<string, Partial<Record<Grantee, readonly string[]>>>> = {
  // PUBLIC and the request roles have it from the platform, here and on a hosted project.
  public: { PUBLIC: ['usage'], anon: ['usage'], authenticated: ['usage'], service_role: ['usage'] },
  private: { anon: ['usage'], authenticated: ['usage'], service_role: ['usage'] },
};

type Executable = Readonly<{ by: readonly Grantee[]; functions: readonly string[] }>;

const FUNCTIONS: readonly Executable[] = [
  {
    // What policies and column defaults call runs with the caller's privileges.
    by: ['anon', 'authenticated'],
    functions: [
      'private.bind_issued_interview()',
      'private.bound_interview_ids()',
      'private.contribution_limit(text)',
      'private.count_network(text,bigint,text)',
      'private.origin_area(bigint,text)',
      'private.refuse(integer,text,text,jsonb)',
      'private.has_role()',
      'private.interview_of_path(text)',
      'private.is_admin()',
      'private.is_bound(bigint)',
      'private.is_issued(bigint)',
      'private.is_my_interview(bigint)',
      'private.is_writable_interview(bigint)',
      'private.member_id()',
      'private.my_interview_ids()',
      'private.within_quota_after_move(uuid,text,jsonb)',
      'private.within_upload_quota(text,jsonb)',
      'public.accept_consent(bigint,text)',
      'public.answer_image_rights(text,text)',
      'public.desk_ticket_redeem(text)',
      'public.review_answer(bigint,integer,text,text)',
      'public.review_key_counts()',
      'public.review_open()',
      'public.review_withdraw(bigint,text)',
    ],
  },
  {
    by: ['anon', 'authenticated', 'service_role'],
    functions: ['private.count_attached(bigint,text,bigint,bigint,boolean)', 'private.issue_interview_id()'],
  },
  {
    by: ['authenticated'],
    functions: [
      // The policy of user_roles calls it.
      'private.signed_in_id()',
      'public.desk_dossier(bigint)',
      'public.desk_erase(jsonb)',
      'public.desk_erasures(uuid)',
      'public.desk_image_rights(bigint,text)',
      'public.desk_person(text)',
      'public.desk_person_dossier(text)',
      'public.desk_post_add(bigint,text,text,jsonb,text,text)',
      'public.desk_post_move(bigint,integer,text,text,timestamp with time zone)',
      'public.desk_post_remove(bigint,integer)',
      'public.desk_post_save(bigint,integer,text,jsonb,text,text,timestamp with time zone)',
      'public.desk_posts(bigint)',
      'public.desk_retention(timestamp with time zone,text)',
      'public.desk_review_request(bigint,jsonb)',
      'public.desk_review_revoke(bigint)',
      'public.desk_review_send(bigint,jsonb,text)',
      'public.desk_ticket_keep(text,text)',
      'public.discard_contribution(bigint)',
      'public.own_contributions(timestamp with time zone,bigint)',
      'public.own_review_link(bigint)',
    ],
  },
  {
    // Each of them asks by itself who calls.
    by: ['authenticated', 'service_role'],
    functions: [
      'public.admin_activity(integer)',
      'public.admin_posts()',
      'public.admin_statistics()',
      'public.desk_audit(bigint,text,jsonb)',
      'public.desk_change(bigint,integer,jsonb)',
      'public.desk_colleagues()',
      'public.desk_contribution(bigint)',
      'public.desk_gone(bigint[])',
      'public.desk_inbox(jsonb)',
      'public.desk_pulse()',
      'public.end_session(uuid)',
      'public.my_sessions()',
      'public.second_factor_missing()',
    ],
  },
  {
    by: ['service_role'],
    functions: [
      'public.desk_erasure_begin(uuid,bigint,bigint)',
      'public.desk_erasure_begin_person(uuid,bigint)',
      'public.desk_erasure_claim(uuid)',
      'public.desk_erasure_finish(uuid)',
      'public.desk_erasure_forget(uuid)',
      'public.desk_erasure_gone()',
      'public.desk_erasure_letters(bigint)',
      'public.desk_erasure_next(uuid)',
      'public.desk_erasure_person(uuid)',
      'public.desk_erasure_release(uuid)',
      'public.desk_erasure_rows(bigint)',
      'public.desk_erasure_stragglers()',
      'public.desk_mail_begin(bigint,uuid)',
      'public.desk_mail_claim()',
      'public.desk_mail_configure(text[])',
      'public.desk_mail_settle(bigint,uuid,text,text)',
      'public.desk_mail_set_pause(integer)',
      'public.desk_retain(timestamp with time zone,uuid)',
      'public.desk_retain_daily(integer,timestamp with time zone)',
      'public.receipt_mail_configure(integer)',
      'public.review_link_request(text)',
      'public.review_mail_key(bigint,uuid,text)',
      'public.review_remind(integer[])',
    ],
  },
];

/** What contributors have with a login and without one; policies tell them apart. The service has everything. */
function same(...privileges: readonly string[]): Partial<Record<Grantee, readonly string[]>> {
  return { anon: privileges, authenticated: privileges, service_role: ['all'] };
}

const ALL = {
  table: ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger', 'maintain'],
  sequence: ['select', 'update', 'usage'],
  schema: ['usage', 'create'],
} as const;

function expand(kind: keyof typeof ALL, given: Readonly<Record<string, Partial<Record<Grantee, readonly string[]>>>>) {
  return Object.entries(given).flatMap(([name, grantees]) =>
    Object.entries(grantees).flatMap(([grantee, privileges]) =>
      privileges
        .flatMap((privilege) => (privilege === 'all' ? ALL[kind] : privilege))
        .flatMap((privilege) => {
          const [, verb = privilege, columns] = /^(\w+) \((.*)\)$/.exec(privilege) ?? [];
          if (columns === undefined) return [`${verb} on ${kind} ${name} to ${grantee}`];
          return columns.split(', ').map((column) => `${verb} (${column}) on ${kind} ${name} to ${grantee}`);
        }),
    ),
  );
}

/** One line a privilege, in the words of `grant`. */
export const DECLARED_PRIVILEGES: readonly string[] = [
  ...expand('table', TABLES),
  ...expand('sequence', SEQUENCES),
  ...expand('schema', SCHEMAS),
  ...FUNCTIONS.flatMap(({ by, functions }) =>
    by.flatMap((grantee) => functions.map((name) => `execute on function ${name} to ${grantee}`)),
  ),
];

/** The same lines from the catalogue. The owner's own privileges are left out. */
export const GRANTED_PRIVILEGES = `
  with ours as (select oid, nspname::text as name from pg_namespace where nspname in ('public', 'private')),
  relation as (
    select c.*, format('%s.%s', o.name, c.relname) as name, case c.relkind when 'S' then 'sequence'
      else 'table' end as kind
    from pg_class as c join ours as o on o.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  ),
  granted as (
    select x.privilege_type as verb, null as part, r.kind, r.name, x.grantee, r.relowner as owner
    from relation as r, aclexplode(coalesce(r.relacl, acldefault(case r.kind when 'sequence' then 's'
      else 'r' end::"char", r.relowner))) as x
    union all
    select x.privilege_type, format(' (%s)', a.attname), r.kind, r.name, x.grantee, r.relowner
    from relation as r join pg_attribute as a on a.attrelid = r.oid, aclexplode(a.attacl) as x
    union all
    select x.privilege_type, null, 'function', format('%s.%s(%s)', o.name, p.proname,
      (select string_agg(case when t.nspname in ('pg_catalog', 'public') then format_type(one.type, null)
        else one.type::regtype::text end, ',' order by one.place)
       from unnest(p.proargtypes) with ordinality as one (type, place) join pg_type as y on y.oid = one.type
         join pg_namespace as t on t.oid = y.typnamespace)),
      x.grantee, p.proowner
    from pg_proc as p join ours as o on o.oid = p.pronamespace, aclexplode(coalesce(p.proacl, acldefault('f',
      p.proowner))) as x
    union all
    select x.privilege_type, null, 'schema', o.name, x.grantee, n.nspowner
    from pg_namespace as n join ours as o on o.oid = n.oid, aclexplode(coalesce(n.nspacl, acldefault('n',
      n.nspowner))) as x
  )
  select lower(verb) || coalesce(part, '') || ' on ' || kind || ' ' || name || ' to '
    || case grantee when 0 then 'PUBLIC' else pg_get_userbyid(grantee)::text end as line
  from granted where grantee <> owner and pg_get_userbyid(grantee) not in ('postgres', 'pg_database_owner')
  order by 1`;
