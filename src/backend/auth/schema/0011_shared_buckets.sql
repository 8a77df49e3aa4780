-- Not upstream's: rate limits that all servers on this database share (limits/shared-rate-limiter.ts). `key` is a keyed hash,
-- so that a reader of this table learns no address. Not logged: after a crash the counts start again.
create unlogged table auth.shared_buckets (
  key bytea primary key,
  tokens double precision not null,
  filled_at timestamptz not null
);
create index shared_buckets_filled_at_idx on auth.shared_buckets (filled_at);
alter table auth.shared_buckets enable row level security;
