-- The mails of a review: the first one, reminders, and a new link that the contributor asks for. The server that sends a
-- mail makes the review key and hands over its sha256 first, so the queue has no key (decision 0243).

alter table private.desk_mails drop constraint desk_mails_mail_known;
alter table private.desk_mails add constraint desk_mails_mail_known check (
  mail in ('new', 'for_review', 'published', 'review', 'review_reminder')
);
-- Gets the answers to the mail where the team has no address.
alter table private.desk_mails add column asked_by uuid references auth.users (id) on delete set null;
create index posts_in_review_idx on public.posts (interview_id) where state = 'in_review';

-- As before, with the posts that wait for an answer.
create or replace function private.desk_mail_whole(mail private.desk_mails) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'id', mail.id, 'claim', mail.claim, 'mail', mail.mail, 'messageId', mail.message_id, 'createdAt', mail.created_at,
    'to', private.desk_mail_address(mail),
    'replyTo', case when mail.mail <> 'new' then coalesce(private.desk_mail_team() ->> 0, who.email) end,
    'contribution', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'firstName', i.contact_first_name, 'text', e.text,
    'channels', coalesce((
      select jsonb_agg(p.channel order by p.id) from public.posts as p
      where p.interview_id = mail.interview_id and p.state = 'in_review'
    ), '[]')
  )
  from private.desk_items as d
  join public.interviews as i on i.id = d.interview_id
  left join private.desk_events as e on e.id = mail.event_id
  left join auth.users as who on who.id = coalesce(mail.asked_by, e.by)
  where d.interview_id = mail.interview_id
$$;

-- Called under the contribution's lock. A mail that still waits tells of these posts too.
create function private.queue_review_mail(contribution bigint, asked_by uuid) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.desk_mails (key, interview_id, mail, asked_by)
  select format('review:%s', gen_random_uuid()), $1, 'review', $2
  where not exists (
    select from private.desk_mails as m where m.interview_id = $1 and m.mail = 'review' and m.state = 'waiting'
  )
$$;

create function private.has_contact_address(contribution bigint) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.interviews as i where i.id = $1 and coalesce(nullif(i.contact_email, ''), nullif(i.user_email, '')) is not null
  )
$$;

-- For the team: sends drafts for review, [{id, version}], with one mail about all posts that wait for an answer. Without
-- posts it sends the link alone. The link is made when the mail is sent.
create function public.desk_review_request(contribution bigint, posts jsonb default '[]') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  one record;
begin
  perform private.desk_admit('desk_review_request');
  perform private.lock_contribution(contribution);
  if private.desk_mail_team() is null then perform private.desk_refuse('mail: off'); end if;
  if not private.has_contact_address(contribution) then perform private.desk_refuse('mail: no address'); end if;
  for one in
    select (p ->> 'id')::bigint as id, (p ->> 'version')::integer as version from jsonb_array_elements(posts) as p order by 1
  loop
    perform private.send_post(contribution, one.id, one.version);
  end loop;
  if not exists (select from public.posts as p where p.interview_id = contribution and p.sent_version is not null) then
    perform private.desk_refuse('posts: none');
  end if;
  perform private.queue_review_mail(contribution, auth.uid());
  return public.desk_posts(contribution);
end
$$;

-- For the server that sends -------------------------------------------------------------------------------------------

-- Makes the key of this sha256, in hex, the one that opens the review. False: another server has the mail by now, or a
-- reminder has nothing left to remind of.
create function public.review_mail_key(id bigint, claim uuid, key_hash text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  taken private.desk_mails;
begin
  if key_hash is null or key_hash !~ '^[0-9a-f]{64}$' then perform private.desk_refuse('key_hash'); end if;
  select * into taken from private.desk_mails as m
  where m.id = review_mail_key.id and m.claim = review_mail_key.claim and m.state = 'claimed'
    and m.mail in ('review', 'review_reminder');
  if not found then return false; end if;
  perform private.lock_contribution(taken.interview_id);
  if taken.mail = 'review_reminder' and not exists (
    select from public.posts as p where p.interview_id = taken.interview_id and p.state = 'in_review'
  ) then
    delete from private.desk_mails as m where m.id = taken.id;
    return false;
  end if;
  perform private.revoke_review_link(taken.interview_id);
  insert into private.review_links (interview_id, key_hash, created_by)
  values (taken.interview_id, decode($3, 'hex'), taken.asked_by);
  perform private.note_post(taken.interview_id, 'review_link', '{"valid": true}', taken.asked_by);
  return true;
end
$$;

-- Queues a reminder so many days after the last mail with a link, while a post waits for its answer. After an outage the
-- latest reminder alone is sent.
create function public.review_remind(days integer[]) returns void
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
  on conflict (key) do nothing
$$;

-- A contributor asks for a new link, with an earlier key's sha256 or with the contribution's number. It goes to the stored
-- address alone, at most every ten minutes and five times a day; the caller never learns whether anything was sent.
create function public.review_link_request(key_hash text default null, contribution bigint default null) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  asked bigint := contribution;
begin
  if key_hash ~ '^[0-9a-f]{64}$' then
    select l.interview_id into asked from private.review_links as l where l.key_hash = decode($1, 'hex');
  end if;
  perform from public.interviews as i where i.id = asked for key share;
  perform from private.desk_items as d where d.interview_id = asked for update;
  if not found or private.desk_mail_team() is null or not private.has_contact_address(asked) then return; end if;
  if not exists (select from public.posts as p where p.interview_id = asked and p.sent_version is not null) then return; end if;
  if exists (
    select from private.desk_mails as m where m.interview_id = asked and m.mail in ('review', 'review_reminder')
    having max(m.created_at) > now() - interval '10 minutes'
      or count(*) filter (where m.created_at > now() - interval '1 day') >= 5
  ) then return; end if;
  perform private.queue_review_mail(asked, null);
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function
  public.desk_review_request(bigint, jsonb), public.review_mail_key(bigint, uuid, text), public.review_remind(integer[]),
  public.review_link_request(text, bigint)
  from public, anon, authenticated, service_role;
-- It looks itself whether an admin asks.
grant execute on function public.desk_review_request(bigint, jsonb) to authenticated;
grant execute on function
  public.review_mail_key(bigint, uuid, text), public.review_remind(integer[]), public.review_link_request(text, bigint)
  to service_role;
