-- An address that is noted of a post and of the whole contribution is listed once, and not after the post was taken out
-- of its channel. Before, 'Meine Beiträge' had two buttons to one place, and then one that led to nothing.

-- As before otherwise: by post, and as the desk noted it for the whole.
create or replace function private.own_links(item private.desk_items) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('channel', l.channel, 'url', l.url) order by l.place), '[]')
  from (
    select p.channel, p.published_url as url, p.id as place from public.posts as p
    where p.interview_id = item.interview_id and p.state = 'published' and p.published_url is not null
    union all
    select null, item.published_url, 0
    where item.state = 'published' and item.published_url is not null and not exists (
      select from public.posts as p where p.interview_id = item.interview_id and p.published_url = item.published_url
    )
  ) as l
$$;
