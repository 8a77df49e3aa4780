-- Stored files: the bucket Media, who may read and write in it, and how much a contribution without an account may
-- store.

-- Private (D11); MEDIA_BUCKET_PUBLIC=true is the operator's decision. The types are those that the application offers.
-- A bucket that is there already keeps its own types.
insert into storage.buckets (id, name, public, allowed_mime_types)
values ('Media', 'Media', false, array[
  'image/*', 'video/*', 'audio/*', 'application/pdf', 'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'text/plain'
])
on conflict (id) do update set allowed_mime_types = excluded.allowed_mime_types
where buckets.allowed_mime_types is null;

create policy "everybody sees the bucket Media" on storage.buckets for select to anon, authenticated
  using (id = 'Media');

-- The quota -----------------------------------------------------------------------------------------------------------

insert into private.settings (name, value)
values ('upload_quota', '{"files": 100, "bytes": 5368709120, "networkFiles": 500, "networkBytes": 21474836480}')
on conflict do nothing;

-- For the operator: the embedded server calls it at its start, on a hosted project it is called by hand.
create function private.configure_uploads(
  files bigint, bytes bigint, network_files bigint, network_bytes bigint
) returns void
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

-- The size of a stored file, or the size that was announced for one.
create function private.bytes_of(metadata jsonb) returns bigint
language sql immutable set search_path = ''
as $$
  select coalesce((metadata ->> 'size')::bigint, (metadata ->> 'contentLength')::bigint, 0)
$$;

-- Whether a guest's contribution may take one more file of this name and size. The contribution of an account has no
-- quota.
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

-- Refuses with 53400. A storage service that names the caller's network is counted by network and day, too. Such a
-- service asks twice, before the bytes (and takes that back) and in the transaction that makes the object, so that
-- simultaneous uploads count each other.
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

-- A hosted project may not allow triggers on its storage tables; there the policy alone decides.
do $$
begin
  create trigger keep_upload_quota before insert on storage.objects
    for each row when (new.bucket_id = 'Media') execute function private.keep_upload_quota();
exception when insufficient_privilege then
  raise notice 'no trigger on storage.objects: the policy alone keeps the upload quota';
end
$$;

-- Rights --------------------------------------------------------------------------------------------------------------

revoke execute on all functions in schema private from public;
grant execute on function private.within_upload_quota(text, jsonb) to anon, authenticated;

create policy "own or bound files are read" on storage.objects for select to anon, authenticated
  using (bucket_id = 'Media' and private.interview_of_path(name) in (select private.my_interview_ids()));
create policy "admins read all files" on storage.objects for select to authenticated
  using (bucket_id = 'Media' and (select private.is_admin()));
create policy "own or bound files are written" on storage.objects for insert to anon, authenticated
  with check (bucket_id = 'Media' and private.interview_of_path(name) in (select private.writable_interview_ids()));
create policy "own or bound files are overwritten" on storage.objects for update to anon, authenticated
  using (bucket_id = 'Media' and private.interview_of_path(name) in (select private.writable_interview_ids()));
create policy "guests keep to their quota" on storage.objects as restrictive for insert to anon, authenticated
  with check (bucket_id <> 'Media' or private.within_upload_quota(name, metadata));
