-- A mail about a change that was queued while the clock was ahead puts the next one off no more once the clock is right
-- (decision 0384): what contributors asked for reached nobody until a pause after that time, days or months later.

-- Tells the assignee of a change that is asked for, else the team. An assignee who gets no mails counts as none.
create or replace function private.add_answer_mail(contribution bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  with assigned as (
    select a.user_id from private.desk_items as d join private.mailable_admins() as a on a.user_id = d.assignee
    where d.interview_id = $1
  ), told as (
    select user_id as colleague, null::text as address from assigned
    union all
    select null, lower(address) from jsonb_array_elements_text(private.desk_mail_team()) as address
    where not exists (select from assigned)
    union all
    select a.user_id, null from private.mailable_admins() as a
    where private.desk_mail_team() = '[]' and not exists (select from assigned)
  )
  insert into private.desk_mails (key, interview_id, mail, colleague, address, due_at)
  select format('review_answer:%s', gen_random_uuid()), $1, 'review_answer', t.colleague, t.address, greatest(
    now(),
    max(m.created_at) filter (where m.created_at <= now() + interval '1 hour') + private.desk_mail_pause()
  )
  from told as t
  left join private.desk_mails as m on m.interview_id = $1 and m.mail = 'review_answer'
    and (m.colleague, m.address) is not distinct from (t.colleague, t.address)
  where private.desk_mail_team() is not null
  group by t.colleague, t.address
  having not coalesce(bool_or(m.state = 'waiting'), false)
$$;
