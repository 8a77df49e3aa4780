-- The days of a reminder count from when the mail was sent. Before, they counted from when it was queued: after some
-- days without a mail server the contributor got the mail and at once a reminder, whose link replaced the one in the
-- mail. Nobody is reminded of a contribution that the team has rejected, or of one whose link the team has revoked.

-- Queues a reminder so many days after the last mail of kind review was sent, while a post waits for its answer. One
-- that still waits then goes, so after an outage the latest reminder alone is sent.
create or replace function public.review_remind(days integer[]) returns void
language sql volatile security definer set search_path = ''
as $$
  with added as (
    insert into private.desk_mails (key, interview_id, mail, asked_by)
    select format('review_reminder:%s:%s', last.id, due.day), last.interview_id, 'review_reminder', last.asked_by
    from (
      select distinct p.interview_id
      from public.posts as p join private.desk_items as d on d.interview_id = p.interview_id
      where p.state = 'in_review' and d.state <> 'rejected'
    ) as waiting
    cross join lateral (
      select m.* from private.desk_mails as m
      where m.interview_id = waiting.interview_id and m.mail = 'review' order by m.id desc limit 1
    ) as last
    cross join lateral (
      select greatest(last.created_at, max(e.at)) as at from private.desk_events as e
      where e.interview_id = last.interview_id and e.before = 'review' and e.after = 'sent'
    ) as sent
    cross join lateral (
      select max(day) as day from unnest($1) as day where sent.at + make_interval(days => day) <= now()
    ) as due
    where last.state = 'sent' and due.day is not null
      -- A mail with a link revokes the one before and leaves its own; where all are revoked, the team did it.
      and (
        select bool_and(l.revoked_at is not null) from private.review_links as l
        where l.interview_id = last.interview_id
      ) is not true
    on conflict (key) do nothing
    returning interview_id
  )
  -- It does not see the reminders that were just added.
  delete from private.desk_mails as m using added as a
  where m.interview_id = a.interview_id and m.mail = 'review_reminder' and m.state = 'waiting'
$$;
