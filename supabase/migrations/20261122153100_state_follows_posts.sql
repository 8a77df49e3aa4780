-- The state of a contribution follows its posts, also where a link answers: what is sent for review is for review, a wish
-- for a change brings it back into work and mails its assignee (decision 0263).

-- A state that posts brought about mails nothing to the contributor, who has or gave the answer already.
alter table private.desk_events add column of_posts boolean not null default false;

alter table private.desk_mails drop constraint desk_mails_mail_known;
alter table private.desk_mails add constraint desk_mails_mail_known check (
  mail in ('new', 'for_review', 'published', 'review', 'review_reminder', 'review_answer')
);

-- Following -----------------------------------------------------------------------------------------------------------

-- What a post's new state makes of its contribution; null: nothing. Published and rejected ones stay, because the team
-- said so, and while one wish is open the others' approval ends no work.
create function private.state_of_posts(post public.posts, state text) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when post.state = 'changes_requested' and $2 in ('new', 'for_review') then 'in_progress'
    when post.state in ('in_review', 'approved') and $2 in ('new', 'in_progress') and not exists (
      select from public.posts as p
      where p.interview_id = post.interview_id
        and (p.state = 'changes_requested' or (p.state = 'draft' and post.state = 'approved'))
    ) then 'for_review'
  end
$$;

-- The first mail at once, then at most one in the team's pause; one that waits tells of everything. The assignee gets it,
-- without one the team.
create function private.queue_answer_mail(contribution bigint) returns void
language sql volatile security definer set search_path = ''
as $$
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

-- Functions alone write posts, under the lock of their contribution's line.
create function private.on_post_moved() returns trigger
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
  return null;
end
$$;
create trigger on_post_moved after update of state, withdrawn_at on public.posts
  for each row when ((new.state, new.withdrawn_at) is distinct from (old.state, old.withdrawn_at))
  execute function private.on_post_moved();

-- What knows of it ----------------------------------------------------------------------------------------------------

-- As before, but for what posts brought about.
create or replace function private.on_desk_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.of_posts or private.desk_mail_team() is null then return null; end if;
  insert into private.desk_mails (key, interview_id, mail, event_id)
  values (
    case new.after when 'published' then format('published:%s:%s', new.interview_id, md5(new.text)) else format('for_review:%s', new.id) end,
    new.interview_id, new.after, new.id
  )
  on conflict (key) do nothing;
  return null;
end
$$;

-- As before, with 'ofPosts'.
create or replace function private.desk_events_of(id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', e.id, 'at', e.at, 'by', coalesce(who.email, ''), 'what', e.what, 'ofPosts', e.of_posts,
    -- Accounts are kept by their ids and shown by their addresses, as long as they are there.
    'from', case when e.what = 'assignment' and e.before is not null then coalesce(earlier.email, '') else e.before end,
    'to', case when e.what = 'assignment' and e.after is not null then coalesce(later.email, '') else e.after end,
    'text', e.text
  ) order by e.id desc), '[]')
  from private.desk_events as e
  left join auth.users as who on who.id = e.by
  left join auth.users as earlier on e.what = 'assignment' and earlier.id::text = e.before
  left join auth.users as later on e.what = 'assignment' and later.id::text = e.after
  where e.interview_id = $1
$$;

-- As before; that the team has no address is no news to the team here either.
create or replace function private.desk_mail_end(id bigint, outcome text, answer text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  ended private.desk_mails;
begin
  update private.desk_mails as m set state = outcome, claim = null where m.id = desk_mail_end.id returning * into ended;
  if ended.mail in ('new', 'review_answer') and outcome in ('sent', 'no_address') then return; end if;
  insert into private.desk_events (interview_id, what, before, after, text)
  values (ended.interview_id, 'mail', ended.mail, outcome, answer);
  update private.desk_items as d set changed_at = clock_timestamp() where d.interview_id = ended.interview_id;
end
$$;

-- As before, with the channels of the posts that are to be changed and of those that were withdrawn.
create or replace function private.desk_mail_whole(mail private.desk_mails) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'id', mail.id, 'claim', mail.claim, 'mail', mail.mail, 'messageId', mail.message_id, 'createdAt', mail.created_at,
    'to', private.desk_mail_address(mail),
    'replyTo', case when mail.mail not in ('new', 'review_answer') then coalesce(private.desk_mail_team() ->> 0, who.email) end,
    'contribution', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'firstName', i.contact_first_name, 'text', e.text,
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
  left join auth.users as who on who.id = coalesce(mail.asked_by, e.by)
  where d.interview_id = mail.interview_id
$$;

-- As before, with the number of posts that are to be changed.
create or replace function private.desk_lines(ids bigint[], words tsquery) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'contributorEmail', coalesce(i.contact_email, i.user_email),
    'createdAt', d.created_at, 'changedAt', d.changed_at,
    'state', d.state, 'finished', d.finished, 'files', d.files,
    'assignee', d.assignee, 'assigneeEmail', case when d.assignee is not null then coalesce(a.email, '') end,
    'version', d.version, 'excerpt', private.desk_excerpt(i.transcript, i.w_questions_answers, words),
    'posts', (
      select case when count(*) > 0 then jsonb_build_object(
        'approved', count(*) filter (where p.state in ('approved', 'published')),
        'changes', count(*) filter (where p.state = 'changes_requested'), 'total', count(*)
      ) end
      from public.posts as p where p.interview_id = d.interview_id and p.state <> 'declined'
    )
  ) order by wanted.place), '[]')
  from unnest(ids) with ordinality as wanted (id, place)
  join private.desk_items as d on d.interview_id = wanted.id
  join public.interviews as i on i.id = d.interview_id
  left join auth.users as a on a.id = d.assignee
$$;

revoke execute on function
  private.state_of_posts(public.posts, text), private.queue_answer_mail(bigint), private.on_post_moved()
  from public;
