-- A link that an administrator revoked gets no successor by itself. Before, a mail that waited was sent with a new link
-- seconds later, and a reminder brought one after days. Who has the earlier link may still ask for another one, which
-- goes to the stored address (decision 0262), and so may the team. As before otherwise.
create or replace function public.desk_review_revoke(contribution bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_review_revoke');
  perform private.lock_contribution(contribution);
  perform private.revoke_review_link(contribution);
  delete from private.desk_mails as m
  where m.interview_id = contribution and m.state = 'waiting'
    and (m.mail = 'review_reminder' or (m.mail = 'review' and m.asked_by is not null));
  perform private.note_post(contribution, 'review_link', '{"valid": false}', auth.uid());
end
$$;

create or replace function public.review_remind(days integer[]) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.desk_mails (key, interview_id, mail, asked_by)
  select format('review_reminder:%s:%s', last.id, due.day), last.interview_id, 'review_reminder', last.asked_by
  from (select distinct p.interview_id from public.posts as p where p.state = 'in_review') as waiting
  cross join lateral (
    select m.* from private.desk_mails as m
    where m.interview_id = waiting.interview_id and m.mail = 'review' order by m.id desc limit 1
  ) as last
  cross join lateral (
    select max(day) as day from unnest($1) as day where last.created_at + make_interval(days => day) <= now()
  ) as due
  where last.state = 'sent' and due.day is not null
    -- A mail with a link revokes the one before and leaves its own; where all are revoked, the team did it.
    and (
      select bool_and(l.revoked_at is not null) from private.review_links as l where l.interview_id = last.interview_id
    ) is not true
  on conflict (key) do nothing
$$;
