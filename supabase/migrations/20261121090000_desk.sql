-- The desk: what the provider's team needs to know of a contribution beyond §3, and what it does with it.
-- Tables and rights; how they are filled and read is in the files that follow.

-- Where a contribution was begun --------------------------------------------------------------------------------------

-- Written by the browser when a contribution starts. The first row stays; where there is none, area and kind are derived.
create table public.contribution_origins (
  interview_id bigint primary key references public.interviews (id) on delete cascade,
  created_at timestamptz not null default now(),
  area text not null,
  -- Null where the flow alone does not say it: a local id tells its kind only for spoken contributions (§3).
  kind text,
  topic text,
  constraint contribution_origins_area_form check (area ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  constraint contribution_origins_kind_known check (
    kind in ('interview', 'voice_message', 'video', 'image', 'document', 'contributor')
  ),
  constraint contribution_origins_topic_form check (topic ~ '^[a-z0-9][a-z0-9-]{0,39}$')
);
alter table public.contribution_origins enable row level security;

revoke all on public.contribution_origins from anon, authenticated;
grant select, insert (interview_id, area, kind, topic) on public.contribution_origins to anon, authenticated;
grant all on public.contribution_origins to service_role;

create policy "a key reads its origin" on public.contribution_origins for select to anon
  using (interview_id = any (array(select private.my_interview_ids())));
create policy "members read their own or bound origins" on public.contribution_origins for select to authenticated
  using (interview_id in (select private.my_interview_ids()));
create policy "admins read all origins" on public.contribution_origins for select to authenticated
  using ((select private.is_admin()));
create policy "own or bound contributions tell their origin" on public.contribution_origins for insert to anon, authenticated
  with check (interview_id in (select private.my_interview_ids()));

-- D4: without an account there is only the generic area, whatever a caller says.
create function private.on_origin_insert() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if not row_security_active(tg_relid) then return new; end if;
  if private.member_id() is null then new.area := 'generic'; end if;
  return new;
end
$$;
create trigger on_origin_insert before insert on public.contribution_origins
  for each row execute function private.on_origin_insert();

-- The listing ---------------------------------------------------------------------------------------------------------

-- One row a contribution, narrow, so that 100,000 are counted in no time. The first half is derived from the contribution and
-- kept by triggers; the second is the desk's own.
create table private.desk_items (
  interview_id bigint primary key references public.interviews (id) on delete cascade,
  area text not null,
  kind text not null,
  topic text,
  -- First and last name, else the account's address, else ''.
  contributor text not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  -- Whether the contact details are there (§2.11).
  finished boolean not null,
  files integer not null,
  state text not null default 'new',
  assignee uuid references auth.users (id) on delete set null,
  -- Counts changes of state and assignment.
  version integer not null default 1,
  published_url text,
  constraint desk_items_state_known check (state in ('new', 'in_progress', 'for_review', 'published', 'rejected')),
  constraint desk_items_published_url_form check (published_url ~* '^https?://' and length(published_url) <= 2000)
);
create index desk_items_created_at_idx on private.desk_items (created_at, interview_id);
create index desk_items_state_idx on private.desk_items (state, created_at, interview_id);
create index desk_items_changed_at_idx on private.desk_items (changed_at, interview_id);
-- Nameless ones come last.
create index desk_items_contributor_idx on private.desk_items
  ((contributor = ''), contributor collate "de-x-icu", interview_id);
create index desk_items_assignee_idx on private.desk_items (assignee) where assignee is not null;

-- Apart from the items, because its rows are long: transcript, W-answers, names and addresses.
create table private.desk_search (
  interview_id bigint primary key references private.desk_items (interview_id) on delete cascade,
  words tsvector not null
);

-- Contributions whose line could not be brought up to date; mended by the next look at the desk.
create table private.desk_stale (
  interview_id bigint primary key,
  at timestamptz not null default now(),
  -- SQLSTATE of what went wrong.
  cause text not null
);

-- Contributions that are gone, for as long as somebody's list may still show them.
create table private.desk_removals (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp()
);

-- What the desk did ---------------------------------------------------------------------------------------------------

-- Who did what, for the people at the desk. Hangs on the line, not on the contribution: one lock, one order.
create table private.desk_events (
  id bigint generated always as identity primary key,
  interview_id bigint not null references private.desk_items (interview_id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  -- An account's id; it may be gone.
  by uuid,
  what text not null,
  -- state: states. assignment: accounts' ids. mail: which mail, and what became of it.
  before text,
  after text,
  -- note: the note. state: the text of the mail, or the link. mail: the mail server's answer.
  text text,
  constraint desk_events_what_known check (what in ('state', 'assignment', 'note', 'mail')),
  constraint desk_events_text_length check (length(text) <= 10000)
);
create index desk_events_interview_id_idx on private.desk_events (interview_id, id);

-- Outlives what it tells of, so it holds numbers only: no name, no address, no text of anybody.
create table public.desk_audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- An account's id; null where the server did it by itself.
  by uuid,
  -- Null where it was about more than one.
  interview_id bigint,
  what text not null,
  detail jsonb not null default '{}',
  constraint desk_audit_log_what_form check (what ~ '^[a-z][a-z_]{0,39}$'),
  constraint desk_audit_log_detail_form check (jsonb_typeof(detail) = 'object' and length(detail::text) <= 2000)
);
create index desk_audit_log_interview_id_idx on public.desk_audit_log (interview_id, id);
alter table public.desk_audit_log enable row level security;

-- Read by admins, written by functions, changed by nobody: not even by the service, and by the owner only on purpose.
revoke all on public.desk_audit_log from anon, authenticated, service_role;
grant select on public.desk_audit_log to authenticated, service_role;
create policy "admins read the log" on public.desk_audit_log for select to authenticated
  using ((select private.is_admin()));

create function private.on_audit_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  raise insufficient_privilege using message = 'the audit log is never changed';
end
$$;
create trigger on_audit_change before update or delete or truncate on public.desk_audit_log
  for each statement execute function private.on_audit_change();

alter table private.desk_items enable row level security;
alter table private.desk_search enable row level security;
alter table private.desk_stale enable row level security;
alter table private.desk_removals enable row level security;
alter table private.desk_events enable row level security;
revoke all on private.desk_items, private.desk_search, private.desk_stale, private.desk_removals, private.desk_events
  from public, anon, authenticated;
revoke execute on function private.on_origin_insert(), private.on_audit_change() from public;
