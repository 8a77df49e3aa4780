-- Keys: the header x-interview-key gives its sender the contributions that the key is bound to, with or without a login
-- (D9).

-- No foreign key: a binding outlives its contribution, so that a contributor whose row was lost can hand it in again
-- under the same id (D10).
create table private.interview_keys (
  key_hash bytea not null,
  interview_id bigint not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  primary key (key_hash, interview_id)
);
create index interview_keys_interview_id_idx on private.interview_keys (interview_id);
alter table private.interview_keys enable row level security;
revoke all on private.interview_keys from public, anon, authenticated;

-- sha256 of the key the caller sent. Anything that cannot hold 256 bits counts as no key.
create function private.key_hash() returns bytea
language sql stable set search_path = ''
as $$
  select sha256(convert_to(key, 'UTF8'))
  from (select nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-interview-key') as headers (key)
  where key ~ '^[A-Za-z0-9_-]{43,128}$'
$$;

-- Which contributions -------------------------------------------------------------------------------------------------

-- VOLATILE, here and below: a STABLE function looks at the snapshot of the statement, in which a binding made by that
-- very statement's trigger does not exist yet, and INSERT … RETURNING would be refused.
create function private.bound_interview_ids() returns setof bigint
language sql volatile security definer set search_path = ''
as $$
  select interview_id from private.interview_keys where key_hash = private.key_hash() and expires_at > now()
$$;

create function private.is_bound(id bigint) returns boolean
language sql volatile security definer set search_path = ''
as $$
  select exists (
    select from private.interview_keys
    where key_hash = private.key_hash() and interview_id = $1 and expires_at > now()
  )
$$;

-- Own or bound.
create function private.my_interview_ids() returns setof bigint
language sql volatile security definer set search_path = ''
as $$
  select private.bound_interview_ids()
  union
  select id from public.interviews where user_id = private.member_id()
$$;

-- Where files may be put: as above, but a key alone writes only until the contact details are saved ('Content
-- übermitteln', §2.11). completed_at does not count: §4 sets it with the transcript, before any picture is chosen.
create function private.writable_interview_ids() returns setof bigint
language sql volatile security definer set search_path = ''
as $$
  select id from public.interviews
  where id in (select private.my_interview_ids())
    and (contact_email is null or private.member_id() is not null)
$$;

-- Whether the database itself gave out this id in this transaction (D10).
create function private.is_issued(id bigint) returns boolean
language sql stable set search_path = ''
as $$
  select coalesce($1 = nullif(current_setting('interviews.issued_id', true), '')::bigint, false)
$$;

-- Binding -------------------------------------------------------------------------------------------------------------

-- Whether contributions without a login are open (OPEN_CONTRIBUTIONS).
insert into private.settings (name, value) values ('open_contributions', 'true');

-- For the operator: the embedded server calls it at its start, on a hosted project it is called by hand.
create function private.configure(name text, value jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if name <> 'open_contributions' or jsonb_typeof(value) <> 'boolean' then
    raise invalid_parameter_value using message = format('no such setting: %s = %s', name, value);
  end if;
  insert into private.settings values (name, value) on conflict on constraint settings_pkey do update set value = excluded.value;
end
$$;

-- Binds the caller's key to the id just given out. While contributions are closed, a caller without a login needs a key
-- that already counts.
create function private.bind_issued_interview() returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.interview_keys (key_hash, interview_id)
  select hash, issued
  from
    (select private.key_hash(), nullif(current_setting('interviews.issued_id', true), '')::bigint) as given (hash, issued)
  where hash is not null
    and issued is not null
    and (
      private.member_id() is not null
      or (select value from private.settings where name = 'open_contributions') = 'true'
      or exists (select private.bound_interview_ids())
    )
  on conflict do nothing
$$;

-- Keys end 24 h after the contact details were saved for the first time (D9).
create function private.on_contact_saved() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update private.interview_keys
  set expires_at = now() + interval '24 hours'
  where interview_id = new.id and expires_at > now() + interval '24 hours';
  return null;
end
$$;
create trigger on_contact_saved after insert or update of contact_email on public.interviews
  for each row when (new.contact_email is not null)
  execute function private.on_contact_saved();

revoke execute on all functions in schema private from public;
grant execute on function
  private.bound_interview_ids(), private.is_bound(bigint), private.my_interview_ids(), private.writable_interview_ids(),
  private.is_issued(bigint), private.bind_issued_interview()
  to anon, authenticated;
