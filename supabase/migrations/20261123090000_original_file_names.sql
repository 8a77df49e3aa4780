-- What the contributor calls a file; the name in the bucket (§3) means nothing to people. Null for recordings, and for
-- files of earlier versions. Without folders, control characters and marks that turn the direction of writing.

alter table public.media_uploads add column original_name text;
alter table public.media_uploads add constraint media_uploads_original_name_length
  check (char_length(original_name) between 1 and 255);
alter table public.media_uploads add constraint media_uploads_original_name_plain
  check (original_name !~ '[\u0001-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069/\\]');
grant insert (original_name) on public.media_uploads to anon, authenticated;

create or replace function private.desk_files_of(id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', m.id, 'path', m.file_path, 'type', m.file_type, 'createdAt', m.created_at,
    'size', (o.metadata ->> 'size')::bigint, 'imageRights', m.image_rights, 'name', m.original_name
  ) order by m.id), '[]')
  from public.media_uploads as m
  left join storage.objects as o on o.bucket_id = 'Media' and o.name = m.file_path
  where m.interview_id = $1
$$;
