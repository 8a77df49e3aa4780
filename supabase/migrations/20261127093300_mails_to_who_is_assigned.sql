-- A mail about a request for a change that still waits goes to whom the contribution is assigned by then. Before, it
-- went to the assignee of the moment of the request: who had the contribution by then was told nothing.

-- As before, but a mail about a request has no address where another administrator who may sign in has the
-- contribution; its end tells that one (private.desk_mail_end).
create or replace function private.desk_mail_address(mail private.desk_mails) returns text
language sql stable security definer set search_path = ''
as $$
  select nullif(case
    when mail.address is not null then mail.address
    when mail.colleague is not null then (
      select a.email from private.mailable_admins() as a
      where a.user_id = mail.colleague and (mail.mail <> 'review_answer' or not exists (
        select from private.desk_items as d join private.mailable_admins() as o on o.user_id = d.assignee
        where d.interview_id = mail.interview_id and o.user_id <> mail.colleague
      ))
    )
    when mail.mail = 'receipt' then (
      select i.contact_email from public.interviews as i
      where i.id = mail.interview_id and private.receiver_hash(i.contact_email) = mail.receiver_hash
    )
    when mail.mail <> 'new' then (
      select coalesce(i.contact_email, i.user_email) from public.interviews as i where i.id = mail.interview_id
    )
  end, '')
$$;
