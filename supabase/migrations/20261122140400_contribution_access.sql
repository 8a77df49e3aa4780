-- Who may do what with a contribution: the matrix of docs/security.md as row-level security (D9, D10, D11). A member
-- works on the own contributions, a key on those it is bound to, an admin sees all. A login without a role has no more
-- rights than no login (D14).

-- Contributions -------------------------------------------------------------------------------------------------------

-- The database says owner and times. A caller past row-level security (service, owner) says them itself.
create function private.on_interview_insert() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if not row_security_active(tg_relid) then return new; end if;
  if private.is_issued(new.id) then
    perform private.bind_issued_interview();
  else
    -- D10: 'if it fails, insert a row with the id'. Where the caller may work on that row, its fields are merged into it;
    -- where it is gone but still bound, it is made again; else the policy refuses, whether the row exists or not.
    update public.interviews as there set
      completed_at = coalesce(new.completed_at, there.completed_at),
      transcript = coalesce(new.transcript, there.transcript),
      contact_first_name = coalesce(new.contact_first_name, there.contact_first_name),
      contact_last_name = coalesce(new.contact_last_name, there.contact_last_name),
      contact_email = coalesce(new.contact_email, there.contact_email),
      w_questions_answers = coalesce(new.w_questions_answers, there.w_questions_answers)
    where there.id = new.id;
    if found then return null; end if;
  end if;
  new.user_id := private.member_id();
  new.user_email := case when new.user_id is not null then auth.email() end;
  new.created_at := now();
  new.completed_at := case when new.completed_at is not null then now() end;
  return new;
end
$$;
create trigger on_interview_insert before insert on public.interviews
  for each row execute function private.on_interview_insert();

create function private.on_interview_update() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if row_security_active(tg_relid) then new.completed_at := now(); end if;
  return new;
end
$$;
create trigger on_interview_update before update of completed_at on public.interviews
  for each row when (new.completed_at is not null and new.completed_at is distinct from old.completed_at)
  execute function private.on_interview_update();

grant select, insert on public.interviews to anon, authenticated;
grant update (
  completed_at, transcript, contact_first_name, contact_last_name, contact_email, w_questions_answers
) on public.interviews to anon, authenticated;

-- anon has policies of its own, because 'or own, or admin' would cost it the index.
create policy "a key reads its interview" on public.interviews for select to anon
  using (id = any (array(select private.bound_interview_ids())));
create policy "a key starts an interview" on public.interviews for insert to anon
  with check (private.is_bound(id));
create policy "a key works on its interview" on public.interviews for update to anon
  using (id = any (array(select private.bound_interview_ids())));
create policy "members read their own or bound interviews" on public.interviews for select to authenticated
  using (user_id = (select private.member_id()) or id = any (array(select private.bound_interview_ids())));
create policy "members start interviews" on public.interviews for insert to authenticated
  with check ((private.is_issued(id) and user_id = (select private.member_id())) or private.is_bound(id));
create policy "members work on their own or bound interviews" on public.interviews for update to authenticated
  using (user_id = (select private.member_id()) or id = any (array(select private.bound_interview_ids())));
create policy "admins read all interviews" on public.interviews for select to authenticated
  using ((select private.is_admin()));

-- What belongs to a contribution --------------------------------------------------------------------------------------

-- The interview a stored file belongs to: `{interviewId}/{file}`, one folder deep, no odd characters (§3); else null.
create function private.interview_of_path(path text) returns bigint
language sql immutable set search_path = ''
as $$
  select case
    when path ~ '^[1-9][0-9]{0,17}/[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$' then split_part(path, '/', 1)::bigint
  end
$$;

-- The database gives id and created_at, so no caller may set them.
grant select, insert (interview_id, file_path, file_type, spoken) on public.media_uploads to anon, authenticated;
grant select, insert (interview_id, conversation_id, position, speaker, content) on public.interview_turns
  to anon, authenticated;
grant select, insert (interview_id, conversation_id, event_id, score) on public.feedback to anon, authenticated;

create policy "a key reads its uploads" on public.media_uploads for select to anon
  using (interview_id = any (array(select private.my_interview_ids())));
create policy "members read their own or bound uploads" on public.media_uploads for select to authenticated
  using (interview_id in (select private.my_interview_ids()));
create policy "admins read all uploads" on public.media_uploads for select to authenticated
  using ((select private.is_admin()));
create policy "own or bound uploads are registered" on public.media_uploads for insert to anon, authenticated
  with check (
    interview_id in (select private.my_interview_ids()) and private.interview_of_path(file_path) = interview_id
  );

create policy "a key reads its turns" on public.interview_turns for select to anon
  using (interview_id = any (array(select private.my_interview_ids())));
create policy "members read their own or bound turns" on public.interview_turns for select to authenticated
  using (interview_id in (select private.my_interview_ids()));
create policy "admins read all turns" on public.interview_turns for select to authenticated
  using ((select private.is_admin()));
create policy "own or bound turns are logged" on public.interview_turns for insert to anon, authenticated
  with check (interview_id in (select private.my_interview_ids()));

create policy "a key reads its feedback" on public.feedback for select to anon
  using (interview_id = any (array(select private.my_interview_ids())));
create policy "members read their own or bound feedback" on public.feedback for select to authenticated
  using (interview_id in (select private.my_interview_ids()));
create policy "admins read all feedback" on public.feedback for select to authenticated
  using ((select private.is_admin()));
create policy "own or bound feedback is taken" on public.feedback for insert to anon, authenticated
  with check (interview_id in (select private.my_interview_ids()));

revoke execute on all functions in schema private from public;
grant execute on function private.interview_of_path(text) to anon, authenticated;
