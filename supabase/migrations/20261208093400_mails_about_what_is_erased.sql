-- An erasure may wait for a store for days. Its contributor is mailed no more meanwhile about what is to be erased.

create function private.is_being_erased(contribution bigint) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from private.erasures as e join public.interviews as i on i.id = $1
    where case e.what
      when 'person' then i.user_id = e.account or $1 in (select private.contributions_of(e.email))
      when 'retention' then greatest(i.created_at, i.completed_at) < e.before
      else e.contribution = $1
    end
  )
$$;

-- As before, but to nobody about what is to be erased.
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
    when private.is_being_erased(mail.interview_id) then null
    when mail.mail = 'receipt' then (
      select i.contact_email from public.interviews as i
      where i.id = mail.interview_id and private.receiver_hash(i.contact_email) = mail.receiver_hash
    )
    when mail.mail <> 'new' then (
      select coalesce(i.contact_email, i.user_email) from public.interviews as i where i.id = mail.interview_id
    )
  end, '')
$$;

revoke execute on function private.is_being_erased(bigint) from public;
