-- A mail about an answer that passes on to whom the contribution is assigned by then tells what the one before would
-- have. Before, a no stood in neither, since it was older than the second mail, and went with the next move of a post.

-- As before. The mail that takes over counts from when the answer came.
create or replace function private.desk_mail_end(id bigint, outcome text, answer text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  ended private.desk_mails;
begin
  update private.desk_mails as m set state = outcome, claim = null where m.id = desk_mail_end.id returning * into ended;
  -- Among those that are looked at is the ended one itself: with another outcome it was for somebody.
  if ended.mail = 'review_answer' and ended.colleague is not null and not exists (
    select from private.desk_mails as m
    where m.interview_id = ended.interview_id and m.mail = 'review_answer' and m.created_at >= ended.created_at
      and m.state <> 'no_address'
  ) then perform private.add_answer_mail(ended.interview_id); end if;
  if ended.mail = 'review_answer' and outcome = 'no_address' then
    update private.desk_mails as m set created_at = ended.created_at
    where m.interview_id = ended.interview_id and m.mail = 'review_answer' and m.state = 'waiting'
      and m.created_at > ended.created_at;
  end if;
  if ended.mail in ('new', 'review_answer') and outcome in ('sent', 'no_address') then return; end if;
  insert into private.desk_events (interview_id, what, before, after, text)
  values (ended.interview_id, 'mail', ended.mail, outcome, answer);
  update private.desk_items as d set changed_at = clock_timestamp() where d.interview_id = ended.interview_id;
end
$$;
