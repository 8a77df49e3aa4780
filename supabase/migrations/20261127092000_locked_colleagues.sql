-- Nobody who is locked, or deleted, can work on a contribution, so none goes to them any more. Those who have one from
-- before are still named, and the desk's list of colleagues says who is locked, so that what they have can be found.

-- As before, but to nobody who is locked or deleted.
create or replace function private.desk_assign(item private.desk_items, change jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  colleague uuid := (change ->> 'assignee')::uuid;
begin
  if colleague is not distinct from item.assignee then return; end if;
  if colleague is not null and not exists (
    select from public.user_roles as r join auth.users as u on u.id = r.user_id
    where r.user_id = colleague and r.role = 'admin' and u.deleted_at is null
      and (u.banned_until is null or u.banned_until <= now())
  ) then
    perform private.desk_refuse('change: assignee');
  end if;
  update private.desk_items set assignee = colleague, version = version + 1, changed_at = clock_timestamp()
  where interview_id = item.interview_id;
  insert into private.desk_events (interview_id, by, what, before, after)
  values (item.interview_id, auth.uid(), 'assignment', item.assignee, colleague);
  perform public.desk_audit(
    item.interview_id, 'assignment', jsonb_build_object('from', item.assignee, 'to', colleague)
  );
end
$$;

-- As before, but without deleted accounts and with `locked`.
create or replace function public.desk_colleagues() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_colleagues');
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', u.id, 'email', coalesce(u.email, ''), 'locked', coalesce(u.banned_until > now(), false)
    ) order by u.email, u.id), '[]')
    from public.user_roles as r join auth.users as u on u.id = r.user_id
    where r.role = 'admin' and u.deleted_at is null
  );
end
$$;
