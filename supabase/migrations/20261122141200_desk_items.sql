-- The desk: what the provider's team needs to know of a contribution beyond §3, and what it does with it. Here are its
-- tables; how they are filled and read is in the files that follow.

-- Every function of the desk is for admins only (threat 4).
create function private.desk_admit(name text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not private.is_admin() then
    raise insufficient_privilege using message = format('permission denied for function %s', name);
  end if;
end
$$;

create function private.desk_refuse(what text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  raise invalid_parameter_value using message = what;
end
$$;

-- The listing ---------------------------------------------------------------------------------------------------------

-- One narrow row a contribution, so that 100,000 are counted quickly. Triggers derive the first half from the
-- contribution; the second half belongs to the desk.
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

-- Contributions whose line could not be brought up to date; mended by the next look at the desk.
create table private.desk_stale (
  interview_id bigint primary key,
  at timestamptz not null default now(),
  -- SQLSTATE of what went wrong.
  cause text not null
);

-- Contributions that are gone, for as long as a list may still show them.
create table private.desk_removals (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp()
);

-- Events --------------------------------------------------------------------------------------------------------------

-- Who did what, for the people at the desk. Belongs to the line, not to the contribution: one lock, one order.
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

alter table private.desk_items enable row level security;
alter table private.desk_stale enable row level security;
alter table private.desk_removals enable row level security;
alter table private.desk_events enable row level security;
revoke all on private.desk_items, private.desk_stale, private.desk_removals, private.desk_events
  from public, anon, authenticated;

revoke execute on all functions in schema private from public;
