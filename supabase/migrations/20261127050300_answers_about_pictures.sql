-- The contributor's answer about a file counts until the contact details are saved, also where it waited meanwhile for
-- the desk's answer about the same file. Before, it looked for the contact details before it waited, and replaced the
-- desk's answer.
create or replace function public.answer_image_rights(path text, rights text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- The statement after it sees what was saved until the lock was there.
  perform from public.media_uploads as m where m.file_path = path and private.is_my_interview(m.interview_id) for update;
  update public.media_uploads as m set image_rights = rights
  from public.interviews as i
  where m.file_path = path and m.interview_id = private.interview_of_path(path) and i.id = m.interview_id
    and i.contact_email is null and private.is_my_interview(i.id);
  return found;
end
$$;
