-- What may be stored in Media: the types that the application offers, and for contributions of guests a quota of files and
-- bytes, by contribution and by network and day.

update storage.buckets set allowed_mime_types = array[
  'image/*', 'video/*', 'audio/*', 'application/pdf', 'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'text/plain'
] where id = 'Media' and allowed_mime_types is null;

insert into private.settings (name, value)
values ('upload_quota', '{"files": 100, "bytes": 5368709120, "networkFiles": 500, "networkBytes": 21474836480}')
on conflict do nothing;

-- For the operator: the embedded server calls it at its start, on a hosted backend it is run by hand.
create function private.configure_uploads(files bigint, bytes bigint, network_files bigint, network_bytes bigint) returns void
language plpgsql set search_path = ''
as $$
begin
  if least(files, bytes, network_files, network_bytes) < 1 then
    raise invalid_parameter_value using message = 'an upload quota is a positive number';
  end if;
  insert into private.settings values ('upload_quota', jsonb_build_object(
    'files', files, 'bytes', bytes, 'networkFiles', network_files, 'networkBytes', network_bytes))
  on conflict on constraint settings_pkey do update set value = excluded.value;
end
$$;

-- What came from a network on a day. The address itself is not kept, only its hash under private.network_key.
create table private.upload_volumes (
  day date not null,
  network_hash bytea not null,
  files bigint not null,
  bytes bigint not null,
  primary key (day, network_hash)
);
alter table private.upload_volumes enable row level security;
revoke all on private.upload_volumes from public, anon, authenticated, service_role;

-- Removes counts that have ended, and the key with the last of them or after a day.
create or replace function private.forget_networks() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.network_counts as c using (
    select network, what from private.network_counts where since < now() - interval '1 hour' for update skip locked
  ) as ended
  where c.network = ended.network and c.what = ended.what;
  delete from private.upload_volumes as v using (
    select day, network_hash from private.upload_volumes where day < current_date for update skip locked
  ) as ended
  where v.day = ended.day and v.network_hash = ended.network_hash;
  delete from private.network_key
  where made_at < now() - interval '1 day'
    or (
      made_at < now() - interval '1 hour'
      and not exists (select from private.network_counts)
      and not exists (select from private.upload_volumes)
    );
end
$$;

-- Whether a guest's contribution may take one more file of this name and size. The contribution of an account has no quota.
create function private.within_upload_quota(name text, metadata jsonb) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint := private.interview_of_path(name);
  quota jsonb := (select s.value from private.settings as s where s.name = 'upload_quota');
  stored record;
begin
  if contribution is null or exists (select from public.interviews as i where i.id = contribution and i.user_id is not null) then
    return true;
  end if;
  select count(*) as files, coalesce(sum((o.metadata ->> 'size')::bigint), 0) as bytes into stored
  from storage.objects as o
  where o.bucket_id = 'Media' and o.name <> within_upload_quota.name
    and o.name collate "C" >= contribution || '/' and o.name collate "C" < contribution || '0';
  return stored.files + 1 <= (quota ->> 'files')::bigint
    and stored.bytes + private.bytes_of(metadata) <= (quota ->> 'bytes')::bigint;
end
$$;

-- The size of a stored file, or the size that was announced for one.
create function private.bytes_of(metadata jsonb) returns bigint
language sql immutable set search_path = ''
as $$
  select coalesce((metadata ->> 'size')::bigint, (metadata ->> 'contentLength')::bigint, 0)
$$;

-- Refuses with 53400. A storage service that names the caller's network here counts it too; such a service asks twice, before
-- the bytes (and takes that back) and in the transaction that makes the object, so that uploads at the same time count.
create function private.keep_upload_quota() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  network text := nullif(current_setting('storage.caller_network', true), '');
  contribution bigint := private.interview_of_path(new.name);
  quota jsonb := (select value from private.settings where name = 'upload_quota');
  volume record;
begin
  if network is null or contribution is null then return new; end if;
  if exists (select from public.interviews where id = contribution and user_id is not null) then return new; end if;
  perform pg_advisory_xact_lock(hashtextextended('upload quota', contribution));
  if not private.within_upload_quota(new.name, new.metadata) then
    raise configuration_limit_exceeded using message = 'upload quota of the contribution';
  end if;
  insert into private.upload_volumes as v (day, network_hash, files, bytes)
  values (current_date, private.hash_network(network), 1, private.bytes_of(new.metadata))
  on conflict (day, network_hash) do update set files = v.files + 1, bytes = v.bytes + excluded.bytes
  returning v.files, v.bytes into volume;
  if volume.files > (quota ->> 'networkFiles')::bigint or volume.bytes > (quota ->> 'networkBytes')::bigint then
    raise configuration_limit_exceeded using message = 'upload quota of the network';
  end if;
  if volume.files = 1 then perform private.forget_networks(); end if;
  return new;
end
$$;

revoke execute on function
  private.configure_uploads(bigint, bigint, bigint, bigint), private.within_upload_quota(text, jsonb),
  private.bytes_of(jsonb), private.keep_upload_quota()
  from public, anon, authenticated, service_role;
grant execute on function private.within_upload_quota(text, jsonb) to anon, authenticated;

create policy "guests keep to their quota" on storage.objects as restrictive for insert to anon, authenticated
  with check (bucket_id <> 'Media' or private.within_upload_quota(name, metadata));

-- A hosted project may not allow triggers on its storage tables; there the policy alone decides.
do $$
begin
  create trigger keep_upload_quota before insert on storage.objects
    for each row when (new.bucket_id = 'Media') execute function private.keep_upload_quota();
exception when insufficient_privilege then
  raise notice 'no trigger on storage.objects: the policy alone keeps the upload quota';
end
$$;
