-- What somebody has who left the team is found, and seen at once. Before, contributions of an administrator with
-- another role by now were under no name in the filter, nor under 'Noch niemand'; and where an account was removed,
-- open lists went on showing it (decision 0389).

-- As before, and whoever has a contribution without being an administrator any more. locked: nothing new for them.
create or replace function public.desk_colleagues() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_colleagues');
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', u.id, 'email', coalesce(u.email, ''),
      'locked', coalesce(u.banned_until > now(), false) or r.role is distinct from 'admin'
    ) order by u.email, u.id), '[]')
    from auth.users as u left join public.user_roles as r on r.user_id = u.id
    where u.deleted_at is null
      and (r.role = 'admin' or exists (select from private.desk_items as d where d.assignee = u.id))
  );
end
$$;

-- The reference to the account is set to null without anything else.
create function private.on_desk_assignee_gone() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.changed_at := clock_timestamp();
  return new;
end
$$;
create trigger on_desk_assignee_gone before update of assignee on private.desk_items
  for each row when (old.assignee is not null and new.assignee is null and new.changed_at = old.changed_at)
  execute function private.on_desk_assignee_gone();

revoke execute on function private.on_desk_assignee_gone() from public;
