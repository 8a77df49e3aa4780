-- A move names the post as the caller saw it. Before, of two administrators who published one post at the same time the
-- second replaced the address of the first without a word, and stopping a post that a colleague had just published took
-- that publication back: moves make no new version, so the version alone did not show that there had been one.

drop function public.desk_post_move(bigint, integer, text, text);

-- What the team decides by itself: back to the draft, stopped, published. The rest belongs to a review. seen: changedAt
-- of the post as the caller saw it; PT409 where it was changed since, unless it is already what the caller wants, as
-- when a request whose answer was lost is sent again. Null: compares nothing.
create function public.desk_post_move(
  id bigint, version integer, state text, url text default null, seen timestamptz default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  before public.posts;
  post public.posts;
begin
  perform private.desk_admit('desk_post_move');
  if state is null or state not in ('draft', 'declined', 'published') or (url is not null and state <> 'published') then
    perform private.desk_refuse('state');
  end if;
  before := private.lock_post(id, version);
  if before.changed_at <> seen then
    if (before.state, before.published_url) is distinct from (state, coalesce(url, before.published_url)) then
      raise sqlstate 'PT409' using message = 'the post was changed meanwhile';
    end if;
    return private.desk_post(before);
  end if;
  if state = 'published' and before.state <> 'published' then
    before.published_at := now();
    before.published_url := null;
    before.withdrawn_at := null;
  end if;
  update public.posts as p set state = desk_post_move.state, changed_at = clock_timestamp(),
    published_url = coalesce(url, before.published_url), published_at = before.published_at,
    withdrawn_at = before.withdrawn_at, stopped = desk_post_move.state = 'declined'
  where p.id = before.id returning * into post;
  perform private.note_post(post.interview_id, 'post_state', jsonb_build_object(
    'post', post.id, 'version', post.version, 'from', before.state, 'to', post.state
  ), auth.uid());
  return private.desk_post(post);
end
$$;

revoke execute on function public.desk_post_move(bigint, integer, text, text, timestamptz)
  from public, anon, authenticated, service_role;
-- It looks itself whether an admin asks.
grant execute on function public.desk_post_move(bigint, integer, text, text, timestamptz) to authenticated;
