-- What an account has handed in and where it stands, for 'Meine Beiträge'. The desk's line and the drafts of the team are
-- not readable by members: this function says a word about them and nothing else.

-- The word for one contribution. waiting: a post waits for the contributor's answer.
create function private.own_state(item private.desk_items) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when coalesce(bool_or(p.state = 'in_review'), false) then 'waiting'
    when coalesce(bool_or(p.state = 'published'), false) or item.state = 'published' then 'published'
    when not item.finished then 'unfinished'
    when item.state = 'rejected' then 'closed'
    when item.state <> 'new' or count(*) > 0 then 'in_progress'
    else 'received'
  end
  from public.posts as p where p.interview_id = item.interview_id
$$;

-- Where it was published: by post, and as the desk noted it for the whole.
create function private.own_links(item private.desk_items) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('channel', l.channel, 'url', l.url) order by l.place), '[]')
  from (
    select p.channel, p.published_url as url, p.id as place from public.posts as p
    where p.interview_id = item.interview_id and p.state = 'published' and p.published_url is not null
    union all
    select null, item.published_url, 0 where item.state = 'published' and item.published_url is not null
  ) as l
$$;

-- The caller's own, newest first, 25 at a time; `before_at` and `before_id` are those of the last one seen.
create function public.own_contributions(before_at timestamptz default null, before_id bigint default null)
returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', i.id, 'createdAt', i.created_at, 'kind', d.kind, 'topic', d.topic, 'area', d.area, 'files', coalesce(d.files, 0),
    'transcript', i.spoken, 'state', private.own_state(d), 'links', private.own_links(d)
  ) order by i.created_at desc, i.id desc), '[]')
  from (
    select own.id, own.created_at, coalesce(own.transcript <> '', false) as spoken from public.interviews as own
    where own.user_id = (select private.member_id())
      and (own.created_at, own.id) < (coalesce($1, 'infinity'), coalesce($2, 9223372036854775807))
    order by own.created_at desc, own.id desc
    limit 25
  ) as i
  left join private.desk_items as d on d.interview_id = i.id
$$;

revoke execute on all functions in schema private from public;
revoke execute on function public.own_contributions(timestamptz, bigint) from public, anon, authenticated, service_role;
grant execute on function public.own_contributions(timestamptz, bigint) to authenticated;
