-- What all servers of one installation must agree on before a conversation starts (threat 7): tickets, who talks now,
-- and how long was talked today. Only the server's owner has rights to it. On a hosted project the server has no
-- owner's connection: there each server counts for itself, and these tables stay empty.

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

-- Sessions of guests are counted by address as well, because one address can have many interview keys; guests leave a
-- share of places and minutes to members. The address is a hash under a key that only the servers hold, and goes with
-- the row.
create table private.voice_sessions (
  id uuid primary key,
  subject text not null,
  paid boolean not null,
  started_at timestamptz not null default now(),
  -- moved on by the server that holds it; past, that server has died
  alive_until timestamptz not null,
  guest boolean not null default false,
  address bytea
);
create index voice_sessions_subject_idx on private.voice_sessions (subject);

create table private.voice_minutes (
  day date not null,
  subject text not null,
  used_ms bigint not null check (used_ms >= 0),
  guest boolean not null default false,
  primary key (day, subject)
);

alter table private.voice_tickets enable row level security;
alter table private.voice_sessions enable row level security;
alter table private.voice_minutes enable row level security;
revoke all on private.voice_tickets, private.voice_sessions, private.voice_minutes from public, anon, authenticated;
