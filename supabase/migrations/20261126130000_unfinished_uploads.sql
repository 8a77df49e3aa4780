-- Resumable uploads count against the quota from their beginning (decision 0162): their bytes lie on the disk before
-- there is an object, and for a day where nobody ends them. The embedded storage service keeps a row for each in
-- `_backend.partial_uploads`, which a hosted project does not have: there nothing below is ever reached.

-- The contribution of a guest that an upload to this name counts against; null: it has no quota, or the storage service
-- names no network.
create function private.contribution_with_quota(name text) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  contribution bigint := private.interview_of_path(name);
begin
  if nullif(current_setting('storage.caller_network', true), '') is null then return null; end if;
  if exists (select from public.interviews where id = contribution and user_id is not null) then return null; end if;
  return contribution;
end
$$;

-- What a contribution holds beside this upload, stored or under way. A stored file of the same name gives way to it.
create function private.uploads_beside(contribution bigint, name text, version text, out files bigint, out bytes bigint)
language plpgsql stable security definer set search_path = ''
as $$
begin
  select count(*), coalesce(sum(held.size), 0) into files, bytes
  from (
    select (o.metadata ->> 'size')::bigint as size from storage.objects as o
    where o.bucket_id = 'Media' and o.name <> uploads_beside.name
      and o.name collate "C" >= contribution || '/' and o.name collate "C" < contribution || '0'
    union all
    select p.bytes from _backend.partial_uploads as p
    where p.bucket_id = 'Media' and p.version is distinct from uploads_beside.version
      and p.name collate "C" >= contribution || '/' and p.name collate "C" < contribution || '0'
  ) as held;
end
$$;

-- Counts one more upload and refuses it with 53400 beyond the quota. `stored`: 1 for a file that is stored, which the
-- network's day remembers, 0 for one that begins. Returns the hash under which the network is counted.
create function private.count_upload(contribution bigint, name text, version text, bytes bigint, stored integer)
returns bytea
language plpgsql volatile security definer set search_path = ''
as $$
declare
  quota jsonb := (select s.value from private.settings as s where s.name = 'upload_quota');
  hash bytea;
  held record;
  volume record;
  begun record;
begin
  perform pg_advisory_xact_lock(hashtextextended('upload quota', contribution));
  select * into held from private.uploads_beside(contribution, name, version);
  if held.files + 1 > (quota ->> 'files')::bigint
    or held.bytes + count_upload.bytes > (quota ->> 'bytes')::bigint then
    raise configuration_limit_exceeded using message = 'upload quota of the contribution';
  end if;
  hash := private.hash_network(current_setting('storage.caller_network'));
  -- The lock of this row makes the uploads of a network, whatever their contribution, wait for each other.
  insert into private.upload_volumes as v (day, network_hash, files, bytes)
  values (current_date, hash, stored, stored * count_upload.bytes)
  on conflict (day, network_hash) do update set files = v.files + excluded.files, bytes = v.bytes + excluded.bytes
  returning v.files, v.bytes into volume;
  select count(*) + 1 - stored as files, coalesce(sum(p.bytes), 0) + (1 - stored) * count_upload.bytes as bytes
  into begun
  from _backend.partial_uploads as p
  where p.network_hash = hash and p.version is distinct from count_upload.version;
  if volume.files + begun.files > (quota ->> 'networkFiles')::bigint
    or volume.bytes + begun.bytes > (quota ->> 'networkBytes')::bigint then
    raise configuration_limit_exceeded using message = 'upload quota of the network';
  end if;
  if stored = 1 and volume.files = 1 then perform private.forget_networks(); end if;
  return hash;
end
$$;

-- The storage service asks twice, before the bytes (and takes that back) and in the transaction that makes the object.
-- Where the first question is about a resumable upload (`storage.resumable`), what is under way counts when its row is
-- made, once it is known that the caller may write there.
create or replace function private.keep_upload_quota() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  contribution bigint := private.contribution_with_quota(new.name);
begin
  if contribution is null then return new; end if;
  if current_setting('storage.resumable', true) is distinct from 'true' then
    perform private.count_upload(contribution, new.name, new.version, private.bytes_of(new.metadata), 1);
  elsif not private.within_upload_quota(new.name, new.metadata) then
    raise configuration_limit_exceeded using message = 'upload quota of the contribution';
  end if;
  return new;
end
$$;

create function private.reserve_upload() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  contribution bigint := private.contribution_with_quota(new.name);
begin
  if contribution is not null then
    new.network_hash := private.count_upload(contribution, new.name, new.version, new.bytes, 0);
  end if;
  return new;
end
$$;

revoke execute on function private.contribution_with_quota(text), private.uploads_beside(bigint, text, text),
  private.count_upload(bigint, text, text, bigint, integer), private.reserve_upload() from public;

do $$
begin
  create trigger reserve_upload before insert on _backend.partial_uploads
    for each row when (new.bucket_id = 'Media') execute function private.reserve_upload();
exception when undefined_table or invalid_schema_name or insufficient_privilege then
  raise notice 'no embedded storage service: unfinished uploads are not counted';
end
$$;
