-- Who can be recognised on a picture or in a film, as the contributor says it. 'unknown' is an honest answer; null means
-- that nobody was asked (documents, sound, earlier files, IMAGE_RIGHTS=false).

alter table public.media_uploads add column image_rights text;
alter table public.media_uploads add constraint media_uploads_image_rights_known
  check (image_rights in ('nobody', 'agreed', 'unknown'));
grant insert (image_rights) on public.media_uploads to anon, authenticated;

-- The contributor's answer may change until the contact details are saved; then the team decides. True where the answer
-- is stored now. No update of the table itself: every other column stays as it was registered.
create function public.answer_image_rights(path text, rights text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.media_uploads as m set image_rights = rights
  from public.interviews as i
  where m.file_path = path and m.interview_id = private.interview_of_path(path) and i.id = m.interview_id
    and i.contact_email is null and i.id in (select private.my_interview_ids());
  return found;
end
$$;

-- The desk's answer, with its line in the audit log.
alter table public.desk_audit_log drop constraint desk_audit_log_what_known;
alter table public.desk_audit_log add constraint desk_audit_log_what_known check (what in (
  'archive', 'assignment', 'dossier', 'erasure', 'export', 'file', 'image_rights', 'note', 'person', 'post', 'post_state',
  'retention', 'review_link', 'state', 'view'
));

create or replace function private.is_audit_detail(detail jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(bool_and(
    key ~ '^[a-z][A-Za-z_]{0,39}$' and case jsonb_typeof(value)
      when 'string' then value #>> '{}' in (
          'new', 'in_progress', 'for_review', 'published', 'rejected',
          'draft', 'in_review', 'approved', 'changes_requested', 'declined',
          'nobody', 'agreed', 'unknown'
        )
        or value #>> '{}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      else jsonb_typeof(value) in ('number', 'boolean', 'null')
    end
  ), true)
  from jsonb_each(detail)
$$;

create function public.desk_image_rights(upload bigint, rights text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  before public.media_uploads;
begin
  perform private.desk_admit('desk_image_rights');
  if rights is null or rights not in ('nobody', 'agreed', 'unknown') then perform private.desk_refuse('image rights'); end if;
  select * into before from public.media_uploads where id = upload for update;
  if before is null then raise sqlstate 'PT404' using message = 'no such file'; end if;
  if before.image_rights is distinct from rights then
    update public.media_uploads set image_rights = rights where id = upload;
    perform public.desk_audit(before.interview_id, 'image_rights',
      jsonb_build_object('file', upload, 'from', before.image_rights, 'to', rights));
  end if;
  return private.desk_whole(before.interview_id);
end
$$;

create or replace function private.desk_files_of(id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', m.id, 'path', m.file_path, 'type', m.file_type, 'createdAt', m.created_at,
    'size', (o.metadata ->> 'size')::bigint, 'imageRights', m.image_rights
  ) order by m.id), '[]')
  from public.media_uploads as m
  left join storage.objects as o on o.bucket_id = 'Media' and o.name = m.file_path
  where m.interview_id = $1
$$;

revoke execute on function public.answer_image_rights(text, text) from public, anon, authenticated, service_role;
grant execute on function public.answer_image_rights(text, text) to anon, authenticated;
revoke execute on function public.desk_image_rights(bigint, text) from public, anon, authenticated, service_role;
grant execute on function public.desk_image_rights(bigint, text) to authenticated;
