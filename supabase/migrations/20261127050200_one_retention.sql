-- The same request twice is one erasure also where both come at once: two would have counted the same contributions in
-- two receipts.
create or replace function public.desk_retain(before timestamptz, by uuid) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  erasure uuid;
begin
  perform pg_advisory_xact_lock(hashtext('desk_erase'));
  select e.id into erasure from private.erasures as e where e.what = 'retention' and e.before = $1;
  if erasure is null then
    insert into private.erasures (by, what, before) values ($2, 'retention', $1) returning id into erasure;
  end if;
  return erasure;
end
$$;
