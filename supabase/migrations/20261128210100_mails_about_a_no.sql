-- The team is mailed about a no as well (decision 0388). Before, the desk only showed it, and a post that had been
-- approved was perhaps already planned in its channel.

-- The channels of the posts that their contributor declined since the mail was queued, and that are still declined.
create function private.declined_channels(mail private.desk_mails) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(p.channel order by p.id), '[]') from public.posts as p
  where p.interview_id = mail.interview_id and p.state = 'declined' and not p.stopped
    and exists (select from public.review_answers as a where a.post_id = p.id and a.created_at >= mail.created_at)
$$;

-- As before, with the posts that were declined.
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
    'declined', private.declined_channels(mail),
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

-- As before; a no mails, too.
create or replace function private.on_post_moved() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  item private.desk_items;
  wanted text;
  -- Only the team sends a post for review; the contributor answers with a key, not with a login.
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
  if new.state = 'changes_requested' or (new.state = 'declined' and not new.stopped)
    or (new.state = 'published' and new.withdrawn_at is not null)
  then
    perform private.queue_answer_mail(new.interview_id);
  elsif not exists (
    select from public.posts as p
    where p.interview_id = new.interview_id
      and (p.state = 'changes_requested' or (p.state = 'published' and p.withdrawn_at is not null))
  ) then
    delete from private.desk_mails as m
    where m.interview_id = new.interview_id and m.mail = 'review_answer' and m.state = 'waiting'
      and private.declined_channels(m) = '[]';
  end if;
  if not exists (
    select from public.posts as p
    where p.interview_id = new.interview_id and p.state <> 'draft' and not (p.state = 'declined' and p.stopped)
  ) then
    -- A link that the contributor asked for is still sent.
    delete from private.desk_mails as m
    where m.interview_id = new.interview_id and m.mail = 'review' and m.state = 'waiting' and m.asked_by is not null;
  end if;
  return null;
end
$$;

-- As before. A mail that takes the place of another one counts from the time of that one, so it names the same answers.
create or replace function private.desk_mail_end(id bigint, outcome text, answer text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  ended private.desk_mails;
begin
  update private.desk_mails as m set state = outcome, claim = null where m.id = desk_mail_end.id returning * into ended;
  -- The query finds the ended mail, too, unless nobody could get it.
  if ended.mail = 'review_answer' and ended.colleague is not null and not exists (
    select from private.desk_mails as m
    where m.interview_id = ended.interview_id and m.mail = 'review_answer' and m.created_at >= ended.created_at
      and m.state <> 'no_address'
  ) then perform private.add_answer_mail(ended.interview_id); end if;
  if ended.mail = 'review_answer' and outcome = 'no_address' then
    update private.desk_mails as m set created_at = ended.created_at
    where m.interview_id = ended.interview_id and m.mail = 'review_answer' and m.state = 'waiting'
      and m.created_at > ended.created_at;
  end if;
  if ended.mail in ('new', 'review_answer') and outcome in ('sent', 'no_address') then return; end if;
  insert into private.desk_events (interview_id, what, before, after, text)
  values (ended.interview_id, 'mail', ended.mail, outcome, answer);
  update private.desk_items as d set changed_at = clock_timestamp() where d.interview_id = ended.interview_id;
end
$$;

revoke execute on function private.declined_channels(private.desk_mails) from public;
