-- Upstream's storage schema as far as policies rely on it (supabase-contract §3.4).
create schema if not exists storage;
grant usage on schema storage to anon, authenticated, service_role;

create table storage.buckets (
  id text primary key,
  name text not null unique,
  owner uuid,
  owner_id text,
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  type text not null default 'STANDARD',
  created_at timestamptz default now(),
  updated_at timestamptz default now()
);

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text references storage.buckets (id),
  name text,
  owner uuid,
  owner_id text,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  user_metadata jsonb
);
create unique index bucketid_objname on storage.objects (bucket_id, name);
-- Comparisons of text are leakproof: under row-level security only they may use an index before the policy is asked.
create index objects_by_prefix on storage.objects (bucket_id, name collate "C");

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;

create function storage.foldername(name text) returns text[] language sql immutable as $$
  select parts[1 : array_length(parts, 1) - 1] from (select string_to_array(name, '/') as parts) as split
$$;
create function storage.filename(name text) returns text language sql immutable as $$
  select parts[array_length(parts, 1)] from (select string_to_array(name, '/') as parts) as split
$$;
create function storage.extension(name text) returns text language sql immutable as $$
  select reverse(split_part(reverse(storage.filename(name)), '.', 1))
$$;
create function storage.operation() returns text language sql stable as $$
  select current_setting('storage.operation', true)
$$;

-- Bytes that no object points at: an upload on its way, or what a deleted or replaced object leaves behind. A row here
-- is written before the bytes and goes with the transaction that makes them an object, so no crash can lose track.
create table _backend.unclaimed_files (
  version text primary key,
  removable_from timestamptz not null
);
create index unclaimed_files_due on _backend.unclaimed_files (removable_from);

create function storage.release_file() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  -- Anything else was written by hand and never had bytes.
  if old.version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    insert into _backend.unclaimed_files (version, removable_from) values (old.version, now()) on conflict do nothing;
  end if;
  return null;
end
$$;
revoke execute on function storage.release_file() from public;

-- Whoever deletes the row, a caller, a retention job or the owner by hand: the bytes follow.
create trigger release_deleted_file after delete on storage.objects
  for each row execute function storage.release_file();
create trigger release_replaced_file after update of version on storage.objects
  for each row when (old.version is distinct from new.version) execute function storage.release_file();
