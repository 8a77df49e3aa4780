-- Whether the caller's review key opens a review: the server asks before it transcribes what a reviewer speaks (decision
-- 0264). It reads alone, so asking is no look at the posts.
create function public.review_key_counts() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from private.review_links as l
    where l.key_hash = private.review_key_hash() and l.revoked_at is null and l.expires_at > now()
  )
$$;

revoke execute on function public.review_key_counts() from public, anon, authenticated, service_role;
-- It looks itself which key the caller has.
grant execute on function public.review_key_counts() to anon, authenticated;
