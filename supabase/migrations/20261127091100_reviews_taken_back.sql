-- A mail that asks for a review goes with the review: where the team takes back or stops everything before the mail is
-- sent, it is not sent. Before, the contributor was asked to look at posts of which none could be looked at, where a
-- mail server was away also hours later. As before otherwise.
create or replace function private.on_post_moved() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  item private.desk_items;
  wanted text;
  -- Of these two states the team makes the first alone, the contributor the second: no login counts with a review key.
  actor uuid := case when new.state = 'in_review' then auth.uid() end;
begin
  select * into item from private.desk_items as d where d.interview_id = new.interview_id;
  wanted := case when new.state is distinct from old.state then private.state_of_posts(new, item.state) end;
  if wanted is not null then
    update private.desk_items as d set state = wanted, version = d.version + 1, changed_at = clock_timestamp()
    where d.interview_id = item.interview_id;
    insert into private.desk_events (interview_id, by, what, before, after, of_posts)
    values (item.interview_id, actor, 'state', item.state, wanted, true);
    insert into public.desk_audit_log (by, interview_id, what, detail)
    values (actor, item.interview_id, 'state', jsonb_build_object('from', item.state, 'to', wanted));
  end if;
  if new.state = 'changes_requested' or (new.state = 'published' and new.withdrawn_at is not null) then
    perform private.queue_answer_mail(new.interview_id);
  elsif not exists (
    select from public.posts as p
    where p.interview_id = new.interview_id
      and (p.state = 'changes_requested' or (p.state = 'published' and p.withdrawn_at is not null))
  ) then
    delete from private.desk_mails as m
    where m.interview_id = new.interview_id and m.mail = 'review_answer' and m.state = 'waiting';
  end if;
  if not exists (
    select from public.posts as p
    where p.interview_id = new.interview_id and p.state <> 'draft' and not (p.state = 'declined' and p.stopped)
  ) then
    -- A link that the contributor asked for is sent all the same.
    delete from private.desk_mails as m
    where m.interview_id = new.interview_id and m.mail = 'review' and m.state = 'waiting' and m.asked_by is not null;
  end if;
  return null;
end
$$;
