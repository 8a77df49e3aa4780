-- Who may not have got the mail with the link is reminded, too. Before, a mail whose outcome is unknown ended its
-- reminders, although a reminder brings a new link and is what helps who got none.

-- As before, but for outcomes.
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
      where e.interview_id = last.interview_id and e.before = 'review' and e.after in ('sent', 'unsure')
    ) as sent
    cross join lateral (
      select max(day) as day from unnest($1) as day where sent.at + make_interval(days => day) <= now()
    ) as due
    where last.state in ('sent', 'unsure') and due.day is not null
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
