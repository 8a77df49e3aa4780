-- A save names the post as the caller saw it, as a move does. Before, a request for a change, an approval or a stop
-- that arrived at that moment was replaced by the new draft without anybody having read it: answers and moves make no
-- new version, so the version alone did not show them.

drop function public.desk_post_save(bigint, integer, text, jsonb, text, text);

-- seen: changedAt of the post as the caller saw it; PT409 where it was changed since. Null: compares nothing.
create function public.desk_post_save(
  id bigint, version integer, body text, pictures jsonb default '[]', origin text default 'person',
  model text default null, seen timestamptz default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  post public.posts;
begin
  perform private.desk_admit('desk_post_save');
  post := private.lock_post(id, version);
  if post.changed_at <> seen then raise sqlstate 'PT409' using message = 'the post was changed meanwhile'; end if;
  update public.posts as p set version = p.version + 1, state = 'draft', changed_at = clock_timestamp()
  where p.id = post.id returning * into post;
  perform private.write_version(post, body, pictures, origin, model);
  return private.desk_post(post);
end
$$;

revoke execute on function public.desk_post_save(bigint, integer, text, jsonb, text, text, timestamptz)
  from public, anon, authenticated, service_role;
-- It looks itself whether an admin asks.
grant execute on function public.desk_post_save(bigint, integer, text, jsonb, text, text, timestamptz) to authenticated;
