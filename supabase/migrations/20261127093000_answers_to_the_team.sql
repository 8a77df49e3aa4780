-- Answers to a mail go only to an administrator who may sign in. Before, they went to the author of the change also
-- after that account was locked, and to nobody where the contributor had asked for the link.

-- As before. Where the team has no address, answers go to the author, else to the assignee, else to another
-- administrator. A receipt, which a stranger may get, names none of them.
create or replace function private.desk_mail_whole(mail private.desk_mails) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'id', mail.id, 'claim', mail.claim, 'mail', mail.mail, 'messageId', mail.message_id, 'createdAt', mail.created_at,
    'to', private.desk_mail_address(mail),
    'replyTo', case
      when mail.mail not in ('new', 'review_answer') then coalesce(private.desk_mail_team() ->> 0, reader.email)
    end,
    'contribution', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'firstName', i.contact_first_name, 'text', e.text,
    'received', case when mail.mail = 'receipt' then private.receipt_facts(mail.interview_id) end,
    'channels', coalesce((
      select jsonb_agg(p.channel order by p.id) from public.posts as p
      where p.interview_id = mail.interview_id
        and p.state = case mail.mail when 'review_answer' then 'changes_requested' else 'in_review' end
    ), '[]'),
    'withdrawn', coalesce((
      select jsonb_agg(p.channel order by p.id) from public.posts as p
      where p.interview_id = mail.interview_id and p.state = 'published' and p.withdrawn_at is not null
    ), '[]')
  )
  from private.desk_items as d
  join public.interviews as i on i.id = d.interview_id
  left join private.desk_events as e on e.id = mail.event_id
  left join lateral (
    select a.email from private.mailable_admins() as a
    where mail.mail <> 'receipt'
    order by (a.user_id = coalesce(mail.asked_by, e.by)) is true desc, (a.user_id = d.assignee) is true desc, a.email
    limit 1
  ) as reader on true
  where d.interview_id = mail.interview_id
$$;
