-- A person may have two accounts with one address: with a password, and by the company's sign-on. What is exported,
-- counted and erased of a person is that of all of them.
create function private.accounts_of(email text) returns setof uuid
language sql stable security definer set search_path = ''
as $$
  select u.id from auth.users as u where lower(u.email) = lower(btrim($1)) order by u.is_sso_user, u.created_at, u.id
$$;
revoke all on function private.accounts_of(text) from public, anon, authenticated, service_role;
drop function private.account_of(text);

create or replace function private.contributions_of(email text) returns setof bigint
language sql stable security definer set search_path = ''
as $$
  select id from public.interviews where lower(contact_email) = lower(btrim($1))
  union
  select id from public.interviews where lower(user_email) = lower(btrim($1))
  union
  select id from public.interviews where user_id in (select private.accounts_of($1))
$$;

-- As before, with every account.
create or replace function public.desk_person(email text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  ids bigint[];
  holders uuid[];
  mails private.desk_mails[];
begin
  perform private.desk_admit('desk_person');
  ids := array(select private.contributions_of(desk_person.email));
  holders := array(select private.accounts_of(desk_person.email));
  mails := array(select private.mails_of(ids, desk_person.email, holders));
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
    'posts', (select count(*) from public.posts where interview_id = any (ids)),
    -- Those that wait; what was written lies in files, which the server counts.
    'mails', (select count(*) from unnest(mails) as m where m.state in ('waiting', 'claimed', 'sending')),
    'ids', to_jsonb(ids),
    'letters', to_jsonb(array(select m.message_id from unnest(mails) as m)),
    'auditEntries', (select count(*) from public.desk_audit_log where interview_id = any (ids)),
    'account', (
      select jsonb_build_object(
        'id', holders[1], 'role', (array_agg(r.role order by h.place) filter (where r.role is not null))[1],
        -- 'yes' sorts behind every reason why not.
        'erasable', min(e.erasable)
      )
      from unnest(holders) with ordinality as h (id, place)
      left join public.user_roles as r on r.user_id = h.id
      cross join lateral (select private.erasable(h.id)) as e (erasable)
      having count(*) > 0
    )
  );
end
$$;

drop function private.mails_of(bigint[], text, uuid);
create function private.mails_of(ids bigint[], email text, accounts uuid[]) returns setof private.desk_mails
language sql stable security definer set search_path = ''
as $$
  select * from private.desk_mails as m
  where m.interview_id = any ($1) or lower(m.address) = lower(btrim($2)) or m.colleague = any ($3)
$$;
revoke all on function private.mails_of(bigint[], text, uuid[]) from public, anon, authenticated, service_role;

-- What is stored about an account. Its second factors hold numbers of telephones and names of devices, its log where it
-- was used from.
create function private.account_dossier(account uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  log jsonb := '[]';
begin
  begin
    log := coalesce((
      select jsonb_agg(jsonb_build_object(
        'at', l.created_at, 'action', l.payload ->> 'action', 'address', l.ip_address
      ) order by l.created_at)
      from auth.audit_log_entries as l
      where account::text in (l.payload ->> 'actor_id', l.payload ->> 'user_id', l.payload -> 'traits' ->> 'user_id')
    ), '[]');
  exception when insufficient_privilege then
    -- A hosted project may keep its log to itself.
    null;
  end;
  return (
    select jsonb_build_object(
      'id', u.id, 'email', u.email, 'new_email', nullif(u.email_change, ''), 'phone', u.phone, 'role', r.role,
      'created_at', u.created_at, 'invited_at', u.invited_at, 'email_confirmed_at', u.email_confirmed_at,
      'last_sign_in_at', u.last_sign_in_at, 'banned_until', u.banned_until,
      'user_metadata', u.raw_user_meta_data, 'app_metadata', u.raw_app_meta_data,
      'identities', coalesce((
        select jsonb_agg(jsonb_build_object(
          'provider', n.provider, 'data', n.identity_data, 'created_at', n.created_at
        ))
        from auth.identities as n where n.user_id = u.id
      ), '[]'),
      'sessions', coalesce((
        select jsonb_agg(jsonb_build_object('created_at', s.created_at, 'user_agent', s.user_agent, 'ip', s.ip))
        from auth.sessions as s where s.user_id = u.id
      ), '[]'),
      'factors', coalesce((
        select jsonb_agg(jsonb_build_object(
          'type', f.factor_type, 'name', f.friendly_name, 'phone', f.phone, 'status', f.status,
          'created_at', f.created_at
        ) order by f.created_at)
        from auth.mfa_factors as f where f.user_id = u.id
      ), '[]'),
      'log', log
    )
    from auth.users as u left join public.user_roles as r on r.user_id = u.id
    where u.id = account
  );
end
$$;
revoke all on function private.account_dossier(uuid) from public, anon, authenticated, service_role;

create or replace function public.desk_person_dossier(email text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  ids bigint[];
  holders uuid[];
begin
  perform private.desk_admit('desk_person_dossier');
  ids := array(select private.contributions_of(desk_person_dossier.email) order by 1);
  holders := array(select private.accounts_of(desk_person_dossier.email));
  perform public.desk_audit(null, 'export', jsonb_build_object('contributions', cardinality(ids)));
  return jsonb_build_object(
    'contributions', to_jsonb(ids),
    'account', private.account_dossier(holders[1]),
    'furtherAccounts', to_jsonb(array(select private.account_dossier(id) from unnest(holders[2 :]) as id)),
    'mails', coalesce(
      (select jsonb_agg(jsonb_build_object(
          'contribution', m.interview_id, 'mail', m.mail, 'state', m.state, 'created_at', m.created_at,
          'message_id', m.message_id
        ) order by m.id) from private.mails_of(ids, desk_person_dossier.email, holders) as m), '[]'
    ),
    'audit', coalesce((
      select jsonb_agg(to_jsonb(a) order by a.id) from public.desk_audit_log as a where a.interview_id = any (ids)
    ), '[]')
  );
end
$$;

-- As before; each account is an erasure of its own.
create or replace function public.desk_erase(subject jsonb) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
  accounts uuid[] := array[null::uuid];
  first uuid;
begin
  perform private.desk_admit('desk_erase');
  -- Two admins who erase each other at once come one after the other.
  perform pg_advisory_xact_lock(hashtext('desk_erase'));
  wanted.contribution := (subject ->> 'contribution')::bigint;
  wanted.email := lower(btrim(subject ->> 'email'));
  wanted.what := case when wanted.contribution is null then 'person' else 'contribution' end;
  if wanted.contribution is not null then
    if not exists (select from public.interviews where id = wanted.contribution) then
      raise sqlstate 'PT404' using message = 'contribution_not_found';
    end if;
  elsif (subject ->> 'account')::boolean then
    accounts := coalesce(nullif(array(select private.accounts_of(wanted.email)), '{}'), accounts);
    -- After a change of an administrator's role that runs at this moment.
    perform from public.user_roles as r where r.role = 'admin' order by r.user_id for update;
  end if;
  foreach wanted.account in array accounts loop
    if private.erasable(wanted.account) <> 'yes' then
      raise sqlstate 'PT409' using message = private.erasable(wanted.account);
    end if;
    select id into wanted.id from private.erasures
    where (what, contribution, email, account)
      is not distinct from (wanted.what, wanted.contribution, wanted.email, wanted.account);
    if not found then
      insert into private.erasures (by, what, contribution, email, account)
      values (auth.uid(), wanted.what, wanted.contribution, wanted.email, wanted.account) returning id into wanted.id;
      update public.user_roles as r set role = 'vdi_admin' where r.user_id = wanted.account and r.role = 'admin';
      perform public.desk_audit(wanted.contribution, 'erasure');
    end if;
    first := coalesce(first, wanted.id);
  end loop;
  return first;
end
$$;

create or replace function public.desk_erasure_begin_person(erasure uuid, mails bigint) returns void
language sql security definer set search_path = ''
as $$
  insert into private.erasure_counts (erasure, contribution, mails, accounts)
  select e.id, 0,
    $2 + (
      select count(*) from private.mails_of('{}', e.email, array[e.account]) as m
      where m.state in ('waiting', 'claimed', 'sending')
    ),
    (select count(*) from auth.users as u where u.id = e.account)
  from private.erasures as e where e.id = $1
  on conflict do nothing
$$;

create or replace function public.desk_erasure_person(erasure uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
  gone text;
begin
  select * into wanted from private.erasures as e where e.id = $1;
  gone := wanted.account::text;
  delete from private.desk_mails as m
  where m.id in (select o.id from private.mails_of('{}', wanted.email, array[wanted.account]) as o);
  delete from private.desk_tickets where owner = wanted.account;
  delete from private.voice_tickets where owner = gone;
  delete from private.voice_sessions where subject = gone;
  delete from private.voice_minutes where subject = gone;
  begin
    delete from auth.audit_log_entries
    where payload ->> 'actor_id' = gone or payload ->> 'user_id' = gone or payload -> 'traits' ->> 'user_id' = gone;
  exception when insufficient_privilege then
    null;
  end;
end
$$;
