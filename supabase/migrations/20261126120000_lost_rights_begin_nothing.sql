-- A contribution that a member begins without rights (the session has ended, the account is banned, the second factor is
-- missing) would belong to nobody for ever. It is refused, so that the browser asks for a new login and sends it then.
-- A login without a role works as a guest, as before.
create function private.has_role() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.user_roles as r where r.user_id = auth.uid())
$$;
revoke execute on function private.has_role() from public;
grant execute on function private.has_role() to anon, authenticated;

create or replace function private.on_interview_insert() returns trigger
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
  if new.user_id is null and private.has_role() then
    raise sqlstate 'PT401' using message = 'the login has no rights any more';
  end if;
  new.user_email := case when new.user_id is not null then auth.email() end;
  new.created_at := now();
  new.completed_at := case when new.completed_at is not null then now() end;
  return new;
end
$$;
