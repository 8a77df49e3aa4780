-- What archives and exports of the desk are made of, and the tickets with which a plain link downloads them. A dossier
-- that is read leaves its line in the audit log, by whatever way it is asked for: the functions write it themselves
-- (decision 0132).

-- Dossiers ------------------------------------------------------------------------------------------------------------

-- Everything about one contribution but its files, turns and feedback, which are read row by row. Null: there is none.
create function public.desk_dossier(contribution bigint) returns jsonb
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

-- Numbers only, and whether the account may go.
create function public.desk_person(email text) returns jsonb
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

-- Everything about a person but the contributions, which have dossiers of their own. No hash, no token.
create function public.desk_person_dossier(email text) returns jsonb
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

-- Tickets -------------------------------------------------------------------------------------------------------------

-- Found by the sha256 of the ticket; the content is readable only with the ticket itself.
create table private.desk_tickets (
  id bytea primary key,
  owner uuid not null,
  sealed bytea not null,
  expires_at timestamptz not null default clock_timestamp() + interval '60 seconds',
  constraint desk_tickets_sealed_length check (length(sealed) <= 20000)
);
create index desk_tickets_owner_idx on private.desk_tickets (owner, expires_at);
alter table private.desk_tickets enable row level security;
revoke all on private.desk_tickets from public, anon, authenticated, service_role;

create function public.desk_ticket_keep(id text, sealed text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_ticket_keep');
  delete from private.desk_tickets where expires_at < clock_timestamp();
  insert into private.desk_tickets (id, owner, sealed) values (decode($1, 'hex'), auth.uid(), decode($2, 'hex'));
  -- Whoever asks for ever more loses the oldest.
  delete from private.desk_tickets as t where t.id in (
    select o.id from private.desk_tickets as o where o.owner = auth.uid() order by o.expires_at desc offset 100
  );
end
$$;

-- For every caller who has the ticket, once. Null: used, too old, or never there.
create function public.desk_ticket_redeem(id text) returns text
language sql security definer set search_path = ''
as $$
  with used as (
    delete from private.desk_tickets as t where t.id = decode($1, 'hex') returning t.sealed, t.expires_at
  )
  select encode(sealed, 'hex') from used where expires_at > clock_timestamp()
$$;

revoke execute on function
  public.desk_dossier(bigint), public.desk_person(text), public.desk_person_dossier(text),
  public.desk_ticket_keep(text, text), public.desk_ticket_redeem(text)
  from public, anon, authenticated, service_role;
-- Each looks itself whether an admin asks.
grant execute on function
  public.desk_dossier(bigint), public.desk_person(text), public.desk_person_dossier(text),
  public.desk_ticket_keep(text, text)
  to authenticated;
-- A plain link brings nothing but the ticket.
grant execute on function public.desk_ticket_redeem(text) to anon, authenticated;
