-- What all servers of one installation must agree on before somebody may talk (threat 7): tickets, who talks now, and how
-- long was talked today. Bookkeeping of the server's owner alone; nobody else has a right to it. On a hosted project the
-- server has no owner's connection: there each server counts for itself, and these tables stay empty.
create table private.voice_tickets (
  -- sha256 of the ticket, never the ticket
  id bytea primary key,
  owner text not null,
  -- what it stands for, readable only with the ticket
  sealed bytea not null,
  expires_at timestamptz not null
);
create index voice_tickets_owner_idx on private.voice_tickets (owner, expires_at);
create index voice_tickets_expires_at_idx on private.voice_tickets (expires_at);

create table private.voice_sessions (
  id uuid primary key,
  subject text not null,
  paid boolean not null,
  started_at timestamptz not null default now(),
  -- moved on by the server that holds it; past, that server has died
  alive_until timestamptz not null
);
create index voice_sessions_subject_idx on private.voice_sessions (subject);

create table private.voice_minutes (
  day date not null,
  subject text not null,
  used_ms bigint not null check (used_ms >= 0),
  primary key (day, subject)
);

alter table private.voice_tickets enable row level security;
alter table private.voice_sessions enable row level security;
alter table private.voice_minutes enable row level security;
revoke all on private.voice_tickets, private.voice_sessions, private.voice_minutes from public, anon, authenticated;
