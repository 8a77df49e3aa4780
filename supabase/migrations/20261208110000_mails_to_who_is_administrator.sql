-- A mail about a new contribution waits for its pause, or for a mail server, and goes to those who are administrators
-- (or are named in DESK_MAIL_TO) when it is sent. Where all had been replaced meanwhile, nobody was mailed.

-- As before, for those who have become administrators since, too; nobody gets a mail about the same contribution twice.
create or replace function private.desk_mail_end(id bigint, outcome text, answer text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  ended private.desk_mails;
begin
  update private.desk_mails as m set state = outcome, claim = null where m.id = desk_mail_end.id returning * into ended;
  if ended.mail = 'new' and ended.colleague is not null and outcome in ('sent', 'no_address') then
    perform private.add_new_mails(ended.interview_id);
  end if;
  -- The query finds the ended mail, too, unless nobody could get it.
  if ended.mail = 'review_answer' and ended.colleague is not null and not exists (
    select from private.desk_mails as m
    where m.interview_id = ended.interview_id and m.mail = 'review_answer' and m.created_at >= ended.created_at
      and m.state <> 'no_address'
  ) then perform private.add_answer_mail(ended.interview_id); end if;
  if (ended.mail = 'review_answer' and outcome = 'no_address') or ended.mail = 'new' then
    update private.desk_mails as m set created_at = ended.created_at
    where m.interview_id = ended.interview_id and m.mail = ended.mail and m.state = 'waiting'
      and m.created_at > ended.created_at;
  end if;
  if ended.mail in ('new', 'review_answer') and outcome in ('sent', 'no_address') then return; end if;
  insert into private.desk_events (interview_id, what, before, after, text)
  values (ended.interview_id, 'mail', ended.mail, outcome, answer);
  update private.desk_items as d set changed_at = clock_timestamp() where d.interview_id = ended.interview_id;
end
$$;
