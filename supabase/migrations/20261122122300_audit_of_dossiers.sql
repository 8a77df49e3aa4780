-- A dossier that is read leaves its line in the audit log by itself, whoever asks and by what way: the functions write it, so
-- they are volatile now. And the log takes what it is meant to hold: numbers, and codes from a list.

-- Keys are names; values are numbers, ids of accounts and states of the desk. A word of anybody's own is none of these.
create function private.is_audit_detail(detail jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(bool_and(
    key ~ '^[a-z][A-Za-z_]{0,39}$' and case jsonb_typeof(value)
      when 'string' then value #>> '{}' in ('new', 'in_progress', 'for_review', 'published', 'rejected')
        or value #>> '{}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      else jsonb_typeof(value) in ('number', 'boolean', 'null')
    end
  ), true)
  from jsonb_each(detail)
$$;
revoke execute on function private.is_audit_detail(jsonb) from public, anon, authenticated, service_role;

-- NOT VALID: lines from before stay, because nobody changes the log.
alter table public.desk_audit_log
  add constraint desk_audit_log_detail_coded check (private.is_audit_detail(detail)) not valid,
  add constraint desk_audit_log_what_known check (what in (
    'archive', 'assignment', 'dossier', 'erasure', 'export', 'file', 'note', 'person', 'retention', 'state', 'view'
  )) not valid;

create or replace function public.desk_dossier(contribution bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  dossier jsonb;
begin
  perform private.desk_admit('desk_dossier');
  dossier := (
    select jsonb_build_object(
      'interview', to_jsonb(i),
      'origin', (select to_jsonb(o) - 'interview_id' from public.contribution_origins as o where o.interview_id = i.id),
      'desk', (select to_jsonb(d) - 'interview_id' from private.desk_items as d where d.interview_id = i.id),
      'events', coalesce(
        (select jsonb_agg(to_jsonb(e) - 'interview_id' order by e.id) from private.desk_events as e where e.interview_id = i.id),
        '[]'
      )
    )
    from public.interviews as i where i.id = contribution
  );
  if dossier is not null then perform public.desk_audit(contribution, 'dossier'); end if;
  return dossier;
end
$$;

create or replace function public.desk_person(email text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ids bigint[] := array(select private.contributions_of(desk_person.email));
  holder uuid := private.account_of(desk_person.email);
begin
  perform private.desk_admit('desk_person');
  perform public.desk_audit(null, 'person', jsonb_build_object('contributions', cardinality(ids)));
  return jsonb_build_object(
    'contributions', cardinality(ids),
    'files', (
      select count(*) from (
        select file_path from public.media_uploads where interview_id = any (ids)
        union
        select private.files_of(id) from unnest(ids) as id
      ) as paths
    ),
    'turns', (select count(*) from public.interview_turns where interview_id = any (ids)),
    'feedback', (select count(*) from public.feedback where interview_id = any (ids)),
    -- Those that wait; what was written lies in files, which the server counts.
    'mails', (
      select count(*) from private.mails_of(ids, desk_person.email, holder) as m
      where m.state in ('waiting', 'claimed', 'sending')
    ),
    'ids', to_jsonb(ids),
    'letters', to_jsonb(array(select m.message_id from private.mails_of(ids, desk_person.email, holder) as m)),
    'auditEntries', (select count(*) from public.desk_audit_log where interview_id = any (ids)),
    'account', (
      select jsonb_build_object('id', u.id, 'role', r.role, 'erasable', private.erasable(u.id))
      from auth.users as u left join public.user_roles as r on r.user_id = u.id where u.id = holder
    )
  );
end
$$;

create or replace function public.desk_person_dossier(email text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ids bigint[] := array(select private.contributions_of(desk_person_dossier.email) order by 1);
  holder uuid := private.account_of(desk_person_dossier.email);
begin
  perform private.desk_admit('desk_person_dossier');
  perform public.desk_audit(null, 'export', jsonb_build_object('contributions', cardinality(ids)));
  return jsonb_build_object(
    'contributions', to_jsonb(ids),
    'account', (
      select jsonb_build_object(
        'id', u.id, 'email', u.email, 'phone', u.phone, 'role', r.role, 'created_at', u.created_at,
        'invited_at', u.invited_at, 'email_confirmed_at', u.email_confirmed_at, 'last_sign_in_at', u.last_sign_in_at,
        'banned_until', u.banned_until, 'user_metadata', u.raw_user_meta_data, 'app_metadata', u.raw_app_meta_data,
        'identities', coalesce(
          (select jsonb_agg(jsonb_build_object('provider', n.provider, 'data', n.identity_data, 'created_at', n.created_at))
            from auth.identities as n where n.user_id = u.id), '[]'
        ),
        'sessions', coalesce(
          (select jsonb_agg(jsonb_build_object('created_at', s.created_at, 'user_agent', s.user_agent, 'ip', s.ip))
            from auth.sessions as s where s.user_id = u.id), '[]'
        )
      )
      from auth.users as u left join public.user_roles as r on r.user_id = u.id
      where u.id = holder
    ),
    'mails', coalesce(
      (select jsonb_agg(jsonb_build_object(
          'contribution', m.interview_id, 'mail', m.mail, 'state', m.state, 'created_at', m.created_at, 'message_id', m.message_id
        ) order by m.id) from private.mails_of(ids, desk_person_dossier.email, holder) as m), '[]'
    ),
    'audit', coalesce(
      (select jsonb_agg(to_jsonb(a) order by a.id) from public.desk_audit_log as a where a.interview_id = any (ids)), '[]'
    )
  );
end
$$;
