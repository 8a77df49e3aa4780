-- Mails that are overtaken while they wait, also with a server that is trying to send them.

-- As before, but what a colleague has sent meanwhile is neither sent nor mailed again: another mail ends the link in
-- the first one.
create or replace function public.desk_review_request(contribution bigint, posts jsonb default '[]') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  one record;
  mailed boolean := coalesce(posts, '[]') = '[]';
begin
  perform private.desk_admit('desk_review_request');
  perform private.lock_contribution(contribution);
  if private.desk_mail_team() is null then perform private.desk_refuse('mail: off'); end if;
  if not private.has_contact_address(contribution) then perform private.desk_refuse('mail: no address'); end if;
  for one in
    select (p ->> 'id')::bigint as id, (p ->> 'version')::integer as version
    from jsonb_array_elements(posts) as p order by 1
  loop
    continue when exists (
      select from public.posts as p
      where (p.id, p.interview_id, p.version, p.state) = (one.id, contribution, one.version, 'in_review')
    );
    perform private.send_post(contribution, one.id, one.version);
    mailed := true;
  end loop;
  if not exists (select from public.posts as p where p.interview_id = contribution and p.sent_version is not null) then
    perform private.desk_refuse('posts: none');
  end if;
  if mailed then perform private.queue_review_mail(contribution, auth.uid()); end if;
  return public.desk_posts(contribution);
end
$$;

-- As before, but of several that wait the last one alone brings a link: each ends the one before.
create or replace function public.review_mail_key(id bigint, claim uuid, key_hash text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint;
  taken private.desk_mails;
begin
  if key_hash is null or key_hash !~ '^[0-9a-f]{64}$' then perform private.desk_refuse('key_hash'); end if;
  select m.interview_id into contribution from private.desk_mails as m where m.id = review_mail_key.id;
  if not found then return false; end if;
  perform private.lock_contribution(contribution);
  select * into taken from private.desk_mails as m
  where m.id = review_mail_key.id and m.claim = review_mail_key.claim and m.state = 'claimed'
    and m.mail in ('review', 'review_reminder')
  for update;
  if not found then return false; end if;
  if exists (
    select from private.desk_mails as m
    where m.interview_id = taken.interview_id and m.id > taken.id and m.mail in ('review', 'review_reminder')
      and m.state in ('waiting', 'claimed', 'sending')
  ) or (taken.mail = 'review_reminder' and not exists (
    select from public.posts as p where p.interview_id = taken.interview_id and p.state = 'in_review'
  )) then
    delete from private.desk_mails as m where m.id = taken.id;
    return false;
  end if;
  delete from private.desk_mails as m
  where m.interview_id = taken.interview_id and m.id < taken.id and m.mail in ('review', 'review_reminder')
    and m.state in ('waiting', 'claimed');
  perform private.revoke_review_link(taken.interview_id);
  insert into private.review_links (interview_id, key_hash, created_by)
  values (taken.interview_id, decode($3, 'hex'), taken.asked_by);
  perform private.note_post(taken.interview_id, 'review_link', '{"valid": true}', taken.asked_by);
  return true;
end
$$;

-- As before, but not where nobody would get the mail any more: who was locked, lost the role or gave the work away
-- since a server took it.
create or replace function public.desk_mail_begin(id bigint, claim uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  taken integer;
begin
  update private.desk_mails as m set state = 'sending', due_at = clock_timestamp() + interval '10 minutes'
  where m.claim = desk_mail_begin.claim and m.state = 'claimed' and exists (
    select from private.desk_mails as o where o.id = desk_mail_begin.id and o.claim = desk_mail_begin.claim
    and private.desk_mail_address(o) is not null
    and coalesce(o.letter_rows, 1) = (
      select count(*) from private.desk_mails as a where a.claim = desk_mail_begin.claim and a.state = 'claimed'
    )
  );
  get diagnostics taken = row_count;
  return taken > 0;
end
$$;

-- As before, but a mail that a server is trying to send goes too, and so does a reminder once nothing waits for an
-- answer: the server finds its claim gone.
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
    where m.interview_id = new.interview_id and m.mail = 'review_answer' and m.state in ('waiting', 'claimed')
      and private.declined_channels(m) = '[]';
  end if;
  delete from private.desk_mails as m
  where m.interview_id = new.interview_id and m.state in ('waiting', 'claimed') and case m.mail
    when 'review_reminder' then not exists (
      select from public.posts as p where p.interview_id = new.interview_id and p.state = 'in_review'
    )
    -- A link that the contributor asked for is still sent.
    when 'review' then m.asked_by is not null and not exists (
      select from public.posts as p
      where p.interview_id = new.interview_id and p.state <> 'draft' and not (p.state = 'declined' and p.stopped)
    )
  end;
  return null;
end
$$;
