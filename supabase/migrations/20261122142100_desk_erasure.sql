-- People's rights at the desk: erasing a contribution or a person, the retention period, and receipts.
--
-- An erasure is written down before anything goes and is taken up again until it is through, so a crash at any point
-- does no harm. For each contribution its parts are counted, stored files go, then rows. The server removes the files,
-- so functions for the service alone lead through it (the next file).

-- Tables --------------------------------------------------------------------------------------------------------------

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
  -- Until when a server works on it; after a crash another one takes it on then.
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

-- A mail can be written while its contribution goes: by a server that had it in hand already, or that stopped right
-- after the rows were gone. Nothing else then says that it was about an erased contribution, so its id is kept for a
-- while.
create table private.erased_letters (
  message_id uuid primary key,
  at timestamptz not null default clock_timestamp()
);

-- Receipts do not say about whom.
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

alter table private.erasures enable row level security;
alter table private.erasure_counts enable row level security;
alter table private.erased_contributions enable row level security;
alter table private.erased_letters enable row level security;
alter table private.erasure_receipts enable row level security;
alter table private.retention enable row level security;
revoke all on private.erasures, private.erasure_counts, private.erased_contributions, private.erased_letters,
  private.erasure_receipts, private.retention from public, anon, authenticated, service_role;

-- Who and what --------------------------------------------------------------------------------------------------------

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

-- A contribution that is finished later counts from then.
create function private.retained_until(before timestamptz) returns setof bigint
language sql stable security definer set search_path = ''
as $$
  select i.id from public.interviews as i where i.created_at < $1 and greatest(i.created_at, i.completed_at) < $1
$$;

-- Mails of the desk: about contributions, and to an address or a colleague. A mail that was written into a file has its
-- message_id there.
create function private.mails_of(ids bigint[], email text, account uuid) returns setof private.desk_mails
language sql stable security definer set search_path = ''
as $$
  select * from private.desk_mails as m
  where m.interview_id = any ($1) or lower(m.address) = lower(btrim($2)) or m.colleague = $3
$$;

-- Whether an account may go: one account has to stay that manages the desk and can sign in.
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

-- Requests ------------------------------------------------------------------------------------------------------------

-- Writes down an admin's request; the server does it. The same request twice is one erasure. Refusals: PT404, PT409.
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

-- Everything handed in before that time, for the service: the retention period is configured in the server. The same
-- request twice is one erasure.
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

-- Once a day, whichever server comes first, and never on the day on which the period was set: there is time to look at
-- what would go. Null: not now, or nothing is due.
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

revoke execute on all functions in schema private from public;
revoke execute on function
  public.desk_erase(jsonb), public.desk_erasures(uuid), public.desk_retention(timestamptz, bigint),
  public.desk_retain(timestamptz, uuid), public.desk_retain_daily(integer, timestamptz)
  from public, anon, authenticated, service_role;
-- Each looks itself whether an admin asks.
grant execute on function
  public.desk_erase(jsonb), public.desk_erasures(uuid), public.desk_retention(timestamptz, bigint)
  to authenticated;
grant execute on function public.desk_retain(timestamptz, uuid), public.desk_retain_daily(integer, timestamptz)
  to service_role;
