-- Whose file the store keeps once its row is gone: an erasure asks by folder.
alter table _backend.unclaimed_files add column bucket_id text, add column name text;

create or replace function storage.release_file() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Anything else was written by hand and never had bytes.
  if old.version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    insert into _backend.unclaimed_files (version, removable_from, bucket_id, name)
    values (old.version, now(), old.bucket_id, old.name)
    on conflict (version) do update set bucket_id = excluded.bucket_id, name = excluded.name;
  end if;
  return null;
end
$$;
