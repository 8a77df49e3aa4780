-- People's rights at the desk: what there is about somebody, erasing it, the retention period, and receipts.
--
-- An erasure is written down before anything goes and is taken up again until it is through, so a crash at any point does no
-- harm. For each contribution: what there is gets counted, stored files go, then rows. The server does the files; that is why
-- it is led through by functions for the service alone.

create table private.erasures (
  id uuid primary key default gen_random_uuid(),
  at timestamptz not null default clock_timestamp(),
  -- An account's id; null: the retention period by itself.
  by uuid,
  what text not null,
  contribution bigint,
  email text,
  -- The account that goes with the person.
  account uuid,
  before timestamptz,
  -- Whoever works on it says so; after a crash somebody else may after a while.
  claimed_until timestamptz not null default '-infinity',
  constraint erasures_subject check (
    case what
      when 'contribution' then contribution is not null and num_nonnulls(email, account, before) = 0
      when 'person' then email is not null and num_nonnulls(contribution, before) = 0
      when 'retention' then before is not null and num_nonnulls(contribution, email, account) = 0
      else false
    end
  )
);

-- What goes, counted before it goes: a repeated step counts nothing twice and forgets nothing.
create table private.erasure_counts (
  erasure uuid not null references private.erasures (id) on delete cascade,
  -- 0: what belongs to no contribution.
  contribution bigint not null,
  files bigint not null default 0,
  turns bigint not null default 0,
  feedback bigint not null default 0,
  events bigint not null default 0,
  mails bigint not null default 0,
  accounts bigint not null default 0,
  primary key (erasure, contribution)
);

-- Numbers of contributions that are gone: an upload that was under way may still arrive, and goes too.
create table private.erased_contributions (
  interview_id bigint primary key,
  at timestamptz not null default clock_timestamp()
);

-- Without a word about whom.
create table private.erasure_receipts (
  id uuid primary key,
  at timestamptz not null default clock_timestamp(),
  by uuid,
  what text not null,
  contributions bigint not null,
  files bigint not null,
  turns bigint not null,
  feedback bigint not null,
  events bigint not null,
  mails bigint not null,
  accounts bigint not null
);
create index erasure_receipts_at_idx on private.erasure_receipts (at, id);

-- One row: the period the servers last ran with, since when, and the day of the last run by itself.
create table private.retention (
  single boolean primary key default true check (single),
  days integer not null,
  since timestamptz not null default clock_timestamp(),
  ran_on date
);

-- Tickets for downloads by a plain link: found under their sha256; what they stand for is readable only with the ticket.
create table private.desk_tickets (
  id bytea primary key,
  owner uuid not null,
  sealed bytea not null,
  expires_at timestamptz not null default clock_timestamp() + interval '60 seconds',
  constraint desk_tickets_sealed_length check (length(sealed) <= 20000)
);
create index desk_tickets_owner_idx on private.desk_tickets (owner, expires_at);

alter table private.desk_tickets enable row level security;
alter table private.erasures enable row level security;
alter table private.erasure_counts enable row level security;
alter table private.erased_contributions enable row level security;
alter table private.erasure_receipts enable row level security;
alter table private.retention enable row level security;
revoke all on private.erasures, private.erasure_counts, private.erased_contributions, private.erasure_receipts,
  private.retention, private.desk_tickets from public, anon, authenticated, service_role;

create index interviews_contact_email_idx on public.interviews (lower(contact_email)) where contact_email is not null;
create index interviews_user_email_idx on public.interviews (lower(user_email)) where user_email is not null;

-- Who and what ----------------------------------------------------------------------------------------------------------

create function private.account_of(email text) returns uuid
language sql stable security definer set search_path = ''
as $$
  select u.id from auth.users as u where lower(u.email) = lower(btrim($1)) order by u.is_sso_user, u.created_at limit 1
$$;

-- As contact or as account.
create function private.contributions_of(email text) returns setof bigint
language sql stable security definer set search_path = ''
as $$
  select id from public.interviews where lower(contact_email) = lower(btrim($1))
  union
  select id from public.interviews where lower(user_email) = lower(btrim($1))
  union
  select id from public.interviews where user_id = private.account_of($1)
$$;

-- Paths in the bucket, registered or not.
create function private.files_of(contribution bigint) returns setof text
language sql stable security definer set search_path = ''
as $$
  select name from storage.objects
  where bucket_id = 'Media' and name collate "C" >= $1 || '/' and name collate "C" < $1 || '0'
$$;

-- What is finished later counts from then.
create function private.retained_until(before timestamptz) returns setof bigint
language sql stable security definer set search_path = ''
as $$
  select i.id from public.interviews as i where i.created_at < $1 and greatest(i.created_at, i.completed_at) < $1
$$;

-- Whether an account may go: somebody has to stay who manages the desk and can sign in.
create function private.erasable(account uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when $1 = auth.uid() then 'own_account'
    when not exists (select from public.user_roles where user_id = $1 and role = 'admin') then 'yes'
    when exists (
      select from public.user_roles as r join auth.users as u on u.id = r.user_id
      where r.role = 'admin' and r.user_id <> $1 and coalesce(u.banned_until, '-infinity') < now()
        and not exists (select from private.erasures as e where e.account = r.user_id)
    ) then 'yes'
    else 'last_admin'
  end
$$;

-- What there is ---------------------------------------------------------------------------------------------------------

-- Everything about one contribution but its files, turns and feedback, which are read row by row. Null: there is none.
create function public.desk_dossier(contribution bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_dossier');
  return (
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
end
$$;

-- Numbers only, and whether the account may go.
create function public.desk_person(email text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  ids bigint[] := array(select private.contributions_of(desk_person.email));
  holder uuid := private.account_of(desk_person.email);
begin
  perform private.desk_admit('desk_person');
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
    'mails', 0,
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
language plpgsql stable security definer set search_path = ''
as $$
declare
  ids bigint[] := array(select private.contributions_of(desk_person_dossier.email) order by 1);
begin
  perform private.desk_admit('desk_person_dossier');
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
      where u.id = private.account_of(desk_person_dossier.email)
    ),
    'mails', '[]'::jsonb,
    'audit', coalesce(
      (select jsonb_agg(to_jsonb(a) order by a.id) from public.desk_audit_log as a where a.interview_id = any (ids)), '[]'
    )
  );
end
$$;

-- Tickets ---------------------------------------------------------------------------------------------------------------

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

-- For anybody who has the ticket, once. Null: used, too old, or never there.
create function public.desk_ticket_redeem(id text) returns text
language sql security definer set search_path = ''
as $$
  with used as (
    delete from private.desk_tickets as t where t.id = decode($1, 'hex') returning t.sealed, t.expires_at
  )
  select encode(sealed, 'hex') from used where expires_at > clock_timestamp()
$$;

-- Erasing ---------------------------------------------------------------------------------------------------------------

-- An admin's wish, written down; done by the server. The same wish twice is one erasure. Whatever is refused: PT404, PT409.
create function public.desk_erase(subject jsonb) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  perform private.desk_admit('desk_erase');
  -- Two admins who erase each other at once come one after the other.
  perform pg_advisory_xact_lock(hashtext('desk_erase'));
  wanted.contribution := (subject ->> 'contribution')::bigint;
  wanted.email := lower(btrim(subject ->> 'email'));
  if wanted.contribution is not null then
    wanted.what := 'contribution';
    if not exists (select from public.interviews where id = wanted.contribution) then
      raise sqlstate 'PT404' using message = 'contribution_not_found';
    end if;
  else
    wanted.what := 'person';
    if (subject ->> 'account')::boolean then
      wanted.account := private.account_of(wanted.email);
      if private.erasable(wanted.account) <> 'yes' then
        raise sqlstate 'PT409' using message = private.erasable(wanted.account);
      end if;
    end if;
  end if;
  select id into wanted.id from private.erasures
  where (what, contribution, email, account) is not distinct from (wanted.what, wanted.contribution, wanted.email, wanted.account);
  if found then return wanted.id; end if;
  insert into private.erasures (by, what, contribution, email, account)
  values (auth.uid(), wanted.what, wanted.contribution, wanted.email, wanted.account) returning id into wanted.id;
  perform public.desk_audit(wanted.contribution, 'erasure');
  return wanted.id;
end
$$;

-- Everything handed in before that time, for the service: how long is kept is configured in the server. Asked for twice, it is
-- one erasure.
create function public.desk_retain(before timestamptz, by uuid) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  erasure uuid := (select e.id from private.erasures as e where e.what = 'retention' and e.before = $1);
begin
  if erasure is null then
    insert into private.erasures (by, what, before) values ($2, 'retention', $1) returning id into erasure;
  end if;
  return erasure;
end
$$;

-- Once a day, whichever server comes first, and never on the day on which the period was set: there is time to look at what
-- would go. Null: not now, or nothing is due.
create function public.desk_retain_daily(days integer, before timestamptz) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  last private.retention;
begin
  if not pg_try_advisory_xact_lock(hashtext('desk_retain_daily')) then return null; end if;
  insert into private.retention as r (days) values ($1)
  on conflict (single) do update set days = excluded.days,
    since = case when r.days = excluded.days then r.since else clock_timestamp() end
  returning * into last;
  if last.since > clock_timestamp() - interval '1 day' or last.ran_on = current_date then return null; end if;
  update private.retention set ran_on = current_date;
  if not exists (select private.retained_until($2)) then return null; end if;
  return public.desk_retain($2, null);
end
$$;

-- Takes an erasure on, for a while: this one, or the oldest that nobody works on.
create function public.desk_erasure_claim(erasure uuid default null) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds'
  where id = (
    select id from private.erasures
    where claimed_until < clock_timestamp() and id = coalesce(erasure, id) order by at limit 1 for update skip locked
  )
  returning * into wanted;
  return jsonb_build_object(
    'claimed', case when wanted.id is not null then jsonb_build_object('id', wanted.id, 'email', wanted.email, 'account', wanted.account) end,
    'open', (select count(*) from private.erasures)
  );
end
$$;

-- Gives it back, so that it is tried again.
create function public.desk_erasure_release(erasure uuid) returns void
language sql security definer set search_path = ''
as $$
  update private.erasures set claimed_until = clock_timestamp() where id = erasure
$$;

-- The next contribution to go; null: none is left.
create function public.desk_erasure_next(erasure uuid) returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds' where id = erasure returning * into wanted;
  return case wanted.what
    when 'person' then (select id from private.contributions_of(wanted.email) as id order by id limit 1)
    when 'retention' then (select id from private.retained_until(wanted.before) as id order by id limit 1)
    else (
      select wanted.contribution
      where not exists (select from private.erased_contributions where interview_id = wanted.contribution and at >= wanted.at)
    )
  end;
end
$$;

-- Counts what goes, once, and answers the paths of stored files that are (still) there; `mails` were found by the server.
create function public.desk_erasure_begin(erasure uuid, contribution bigint, mails bigint) returns text[]
language plpgsql security definer set search_path = ''
as $$
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds' where id = $1;
  insert into private.erasure_counts (erasure, contribution, files, turns, feedback, events, mails)
  values (
    $1, $2,
    (select count(*) from (
      select file_path from public.media_uploads as m where m.interview_id = $2 union select private.files_of($2)
    ) as paths),
    (select count(*) from public.interview_turns as t where t.interview_id = $2),
    (select count(*) from public.feedback as f where f.interview_id = $2),
    (select count(*) from private.desk_events as e where e.interview_id = $2),
    $3
  ) on conflict do nothing;
  return array(select private.files_of($2) limit 500);
end
$$;

-- Everything in the database that hangs on a contribution. Its files have to be gone.
create function public.desk_erasure_rows(contribution bigint) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.interviews as i where i.id = $1;
  delete from private.interview_keys as k where k.interview_id = $1;
  delete from private.desk_stale as s where s.interview_id = $1;
  insert into private.erased_contributions (interview_id) values ($1)
  on conflict (interview_id) do update set at = excluded.at;
end
$$;

-- What belongs to a person and to no contribution. The account itself is deleted through the authentication service; what that
-- keeps for its own records goes here, afterwards.
create function public.desk_erasure_begin_person(erasure uuid, mails bigint) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  select * into wanted from private.erasures where id = erasure;
  insert into private.erasure_counts (erasure, contribution, mails, accounts)
  values (wanted.id, 0, $2, (select count(*) from auth.users where id = wanted.account)) on conflict do nothing;
end
$$;

create function public.desk_erasure_person(erasure uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  gone text := (select account::text from private.erasures where id = erasure);
begin
  delete from auth.audit_log_entries
  where payload ->> 'actor_id' = gone or payload ->> 'user_id' = gone or payload -> 'traits' ->> 'user_id' = gone;
exception when insufficient_privilege then
  -- A hosted project keeps these to itself.
  null;
end
$$;

-- Samples of what was there lie in the planner's statistics: until the next look at a table, and of one that is empty now for
-- ever. They are taken anew, and where the database can, dropped before.
create function public.desk_erasure_forget() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  relation regclass;
  place record;
begin
  foreach relation in array array[
    'public.interviews', 'public.interview_turns', 'public.media_uploads', 'private.desk_items', 'private.desk_events',
    'private.desk_search', 'private.erasures', 'auth.users', 'auth.identities', 'auth.sessions'
  ]::regclass[] loop
    begin
      for place in
        select n.nspname, c.relname, a.attname
        from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where to_regprocedure('pg_catalog.pg_clear_attribute_stats(text, text, text, boolean)') is not null
          and (c.oid = relation or c.oid in (select indexrelid from pg_catalog.pg_index where indrelid = relation))
      loop
        execute 'select pg_catalog.pg_clear_attribute_stats($1, $2, $3, false)' using place.nspname, place.relname, place.attname;
      end loop;
      execute format('analyze %s', relation);
    exception when insufficient_privilege then
      -- A hosted project looks after its own tables.
      null;
    end;
  end loop;
end
$$;

-- The receipt, and with it the end: of the wish nothing is left.
create function public.desk_erasure_finish(erasure uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  receipt private.erasure_receipts;
begin
  insert into private.erasure_receipts
  select e.id, clock_timestamp(), e.by, e.what, count(*) filter (where c.contribution > 0), coalesce(sum(c.files), 0),
    coalesce(sum(c.turns), 0), coalesce(sum(c.feedback), 0), coalesce(sum(c.events), 0), coalesce(sum(c.mails), 0),
    coalesce(sum(c.accounts), 0)
  from private.erasures as e left join private.erasure_counts as c on c.erasure = e.id
  where e.id = $1 group by e.id
  on conflict do nothing;
  delete from private.erasures where id = $1;
  select * into receipt from private.erasure_receipts where id = $1;
  return to_jsonb(receipt);
end
$$;

-- Stored files that came in after their contribution was erased.
create function public.desk_erasure_stragglers() returns text[]
language plpgsql security definer set search_path = ''
as $$
begin
  -- An upload goes on for a day at most.
  delete from private.erased_contributions where at < now() - interval '3 days';
  return array(
    select private.files_of(e.interview_id) from private.erased_contributions as e
    where not exists (select from public.interviews where id = e.interview_id) limit 500
  );
end
$$;

-- Newest first; `after` is the id of the last one seen.
create function public.desk_erasures(after uuid default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  shown private.erasure_receipts[];
begin
  perform private.desk_admit('desk_erasures');
  shown := array(
    select r from private.erasure_receipts as r
    where after is null or (r.at, r.id) < (select s.at, s.id from private.erasure_receipts as s where s.id = after)
    order by r.at desc, r.id desc limit 50
  );
  return jsonb_build_object(
    'open', coalesce(
      (select jsonb_agg(jsonb_build_object('id', id, 'at', at, 'by', by, 'what', what) order by at desc) from private.erasures),
      '[]'
    ),
    'receipts', to_jsonb(shown),
    'next', case when cardinality(shown) = 50 then shown[50].id end
  );
end
$$;

-- What would go, oldest first; `after` is the id of the last one seen.
create function public.desk_retention(before timestamptz, after bigint default null) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_retention');
  return (
    with due as (
      select i.id, greatest(i.created_at, i.completed_at) as at from public.interviews as i
      where i.created_at < desk_retention.before and greatest(i.created_at, i.completed_at) < desk_retention.before
    ),
    page as (
      select d.id, d.at from due as d
      where after is null or (d.at, d.id) > (select s.at, s.id from due as s where s.id = after)
      order by d.at, d.id limit 50
    )
    select jsonb_build_object(
      'total', (select count(*) from due),
      'oldest', (select min(at) from due),
      'items', coalesce(jsonb_agg(
        jsonb_build_object(
          'id', p.id, 'createdAt', p.at, 'transcript', left(coalesce(i.transcript, ''), 200),
          'contributor', coalesce(t.contributor, ''), 'files', coalesce(t.files, 0)
        ) order by p.at, p.id
      ), '[]'),
      'next', (array_agg(p.id order by p.at, p.id))[50]::text
    )
    from page as p join public.interviews as i on i.id = p.id
    left join private.desk_items as t on t.interview_id = p.id
  );
end
$$;

-- Rights to call ----------------------------------------------------------------------------------------------------

revoke execute on function
  private.account_of(text), private.contributions_of(text), private.files_of(bigint), private.erasable(uuid),
  private.retained_until(timestamptz),
  public.desk_dossier(bigint), public.desk_person(text), public.desk_person_dossier(text), public.desk_erase(jsonb),
  public.desk_erasures(uuid), public.desk_retention(timestamptz, bigint), public.desk_ticket_keep(text, text),
  public.desk_ticket_redeem(text), public.desk_retain(timestamptz, uuid), public.desk_retain_daily(integer, timestamptz), public.desk_erasure_claim(uuid),
  public.desk_erasure_release(uuid), public.desk_erasure_next(uuid), public.desk_erasure_begin(uuid, bigint, bigint),
  public.desk_erasure_rows(bigint), public.desk_erasure_begin_person(uuid, bigint), public.desk_erasure_person(uuid),
  public.desk_erasure_forget(), public.desk_erasure_finish(uuid), public.desk_erasure_stragglers()
  from public, anon, authenticated, service_role;
-- Each looks itself whether an admin asks.
grant execute on function
  public.desk_dossier(bigint), public.desk_person(text), public.desk_person_dossier(text), public.desk_erase(jsonb),
  public.desk_erasures(uuid), public.desk_retention(timestamptz, bigint), public.desk_ticket_keep(text, text)
  to authenticated;
-- A plain link brings nothing but the ticket.
grant execute on function public.desk_ticket_redeem(text) to anon, authenticated;
grant execute on function
  public.desk_retain(timestamptz, uuid), public.desk_retain_daily(integer, timestamptz), public.desk_erasure_claim(uuid),
  public.desk_erasure_release(uuid), public.desk_erasure_next(uuid), public.desk_erasure_begin(uuid, bigint, bigint),
  public.desk_erasure_rows(bigint), public.desk_erasure_begin_person(uuid, bigint), public.desk_erasure_person(uuid),
  public.desk_erasure_forget(), public.desk_erasure_finish(uuid), public.desk_erasure_stragglers()
  to service_role;
