-- Resumable uploads that have not ended, from before their first byte on, so that quotas can count what they announce
-- wherever their bytes lie. A row goes in the transaction that makes the object, or after the bytes are removed.
create table _backend.partial_uploads (
  version text primary key,
  bucket_id text not null,
  name text not null,
  owner_id text,
  -- The announced size; the largest that is possible where the client announces none.
  bytes bigint not null,
  -- For triggers that count by network: the hash under which they do.
  network_hash bytea,
  created_at timestamptz not null default now()
);
-- `collate "C"`, because a prefix is a range only byte by byte.
create index partial_uploads_by_prefix on _backend.partial_uploads (bucket_id, name collate "C");
create index partial_uploads_by_network on _backend.partial_uploads (network_hash);
create index partial_uploads_created on _backend.partial_uploads (created_at);
