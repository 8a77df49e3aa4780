-- What is written belongs to one contribution, so the policies of writing ask about that one. They listed all that the
-- caller may write: with 8,000 open contributions 20 to 60 ms for each file.

-- Own or bound. VOLATILE as my_interview_ids().
create function private.is_my_interview(id bigint) returns boolean
language sql volatile security definer set search_path = ''
as $$
  select private.is_bound($1)
    or exists (select from public.interviews as i where i.id = $1 and i.user_id = private.member_id())
$$;

-- Where files may be put: as above, but a key alone writes only until the contact details are saved (§2.11).
create function private.is_writable_interview(id bigint) returns boolean
language sql volatile security definer set search_path = ''
as $$
  select exists (
    select from public.interviews as i
    where i.id = $1 and private.is_my_interview($1)
      and (i.contact_email is null or private.member_id() is not null)
  )
$$;
revoke execute on function private.is_my_interview(bigint), private.is_writable_interview(bigint) from public;
grant execute on function private.is_my_interview(bigint), private.is_writable_interview(bigint) to anon, authenticated;

alter policy "own or bound uploads are registered" on public.media_uploads
  with check (private.is_my_interview(interview_id) and private.interview_of_path(file_path) = interview_id);
alter policy "own or bound turns are logged" on public.interview_turns
  with check (private.is_my_interview(interview_id));
alter policy "own or bound feedback is taken" on public.feedback
  with check (private.is_my_interview(interview_id));
alter policy "own or bound contributions tell their origin" on public.contribution_origins
  with check (private.is_my_interview(interview_id));

alter policy "own or bound files are written" on storage.objects
  with check (bucket_id = 'Media' and private.is_writable_interview(private.interview_of_path(name)));
alter policy "own or bound files are overwritten" on storage.objects
  using (bucket_id = 'Media' and private.is_writable_interview(private.interview_of_path(name)));
-- The policies of contributions say which the caller reads; they ask for the caller once a statement.
alter policy "own or bound files are read" on storage.objects
  using (
    bucket_id = 'Media'
    and exists (select from public.interviews as i where i.id = private.interview_of_path(objects.name))
  );

-- The functions that asked the same, as before but for the question.
create or replace function public.accept_consent(contribution bigint, version text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if not private.is_writable_interview(contribution) then return false; end if;
  if not exists (select from private.consent_texts as t where t.version = accept_consent.version) then
    raise invalid_parameter_value using message = 'consent: no such text';
  end if;
  insert into private.consents (interview_id, version) values (contribution, accept_consent.version) on conflict do nothing;
  return true;
end
$$;

create or replace function public.answer_image_rights(path text, rights text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update public.media_uploads as m set image_rights = rights
  from public.interviews as i
  where m.file_path = path and m.interview_id = private.interview_of_path(path) and i.id = m.interview_id
    and i.contact_email is null and private.is_my_interview(i.id);
  return found;
end
$$;

drop function private.writable_interview_ids();
