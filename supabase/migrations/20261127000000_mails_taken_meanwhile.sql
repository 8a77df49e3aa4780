-- A post that is sent for review, or that is to be changed, needs a mail of its own where a server takes the waiting
-- one at the same moment: that mail tells of what the server has read before. Both functions looked at the waiting mail
-- without its lock, so nobody was told of the post.

-- As before, it waits for a transaction that takes a mail of this contribution.
create or replace function private.queue_review_mail(contribution bigint, asked_by uuid) returns void
language sql volatile security definer set search_path = ''
as $$
  select from private.desk_mails as l where l.interview_id = $1 order by l.id for update;
  insert into private.desk_mails (key, interview_id, mail, asked_by)
  select format('review:%s', gen_random_uuid()), $1, 'review', $2
  where not exists (
    select from private.desk_mails as m where m.interview_id = $1 and m.mail = 'review' and m.state = 'waiting'
  )
$$;

-- As before, it waits for a transaction that takes a mail of this contribution.
create or replace function private.queue_answer_mail(contribution bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  select from private.desk_mails as l where l.interview_id = $1 order by l.id for update;
  with assigned as (
    select r.user_id from private.desk_items as d join public.user_roles as r on r.user_id = d.assignee and r.role = 'admin'
    where d.interview_id = $1
  ), told as (
    select user_id as colleague, null::text as address from assigned
    union all
    select null, lower(address) from jsonb_array_elements_text(private.desk_mail_team()) as address
    where not exists (select from assigned)
    union all
    select user_id, null from public.user_roles
    where role = 'admin' and private.desk_mail_team() = '[]' and not exists (select from assigned)
  )
  insert into private.desk_mails (key, interview_id, mail, colleague, address, due_at)
  select format('review_answer:%s', gen_random_uuid()), $1, 'review_answer', t.colleague, t.address,
    greatest(now(), max(m.created_at) + private.desk_mail_pause())
  from told as t
  left join private.desk_mails as m on m.interview_id = $1 and m.mail = 'review_answer'
    and (m.colleague, m.address) is not distinct from (t.colleague, t.address)
  where private.desk_mail_team() is not null
  group by t.colleague, t.address
  having not coalesce(bool_or(m.state = 'waiting'), false)
$$;
