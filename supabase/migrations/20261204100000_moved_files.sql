-- A file that is moved counts against the quota of the contribution it comes to. A file of that contribution already
-- does: it may be renamed or overwritten where the quota is used up.
create function private.within_quota_after_move(id uuid, name text, metadata jsonb) returns boolean
language plpgsql volatile set search_path = ''
as $$
declare
  contribution bigint := private.interview_of_path(name);
begin
  if exists (
    select from storage.objects as o
    where o.id = within_quota_after_move.id and o.bucket_id = 'Media'
      and private.interview_of_path(o.name) = contribution
  ) then
    return true;
  end if;
  -- Files that come at once count each other.
  perform pg_advisory_xact_lock(hashtextextended('upload quota', contribution));
  return private.within_upload_quota(name, metadata);
end
$$;
revoke execute on function private.within_quota_after_move(uuid, text, jsonb) from public;
grant execute on function private.within_quota_after_move(uuid, text, jsonb) to anon, authenticated;

create policy "guests keep to their quota when they move files" on storage.objects
  as restrictive for update to anon, authenticated
  with check (bucket_id <> 'Media' or private.within_quota_after_move(id, name, metadata));
