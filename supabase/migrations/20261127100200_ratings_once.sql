-- A rating that is sent again adds no second row: it changes nothing where the last one of the same answer says the
-- same. As the caller, so that nobody learns what somebody else has given.
create function private.on_feedback_again() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if new.score = (
    select f.score from public.feedback as f
    where f.interview_id = new.interview_id and f.conversation_id = new.conversation_id and f.event_id = new.event_id
    order by f.id desc limit 1
  ) then
    return null;
  end if;
  return new;
end
$$;
revoke execute on function private.on_feedback_again() from public, anon, authenticated, service_role;
create trigger on_feedback_again before insert on public.feedback
for each row execute function private.on_feedback_again();
