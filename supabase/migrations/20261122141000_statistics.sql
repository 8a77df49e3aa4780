-- What the admin's start page shows, computed where the rows are (D13).

-- One row a role, also for a role without users. users: every account with the role, most active first (interviews plus
-- uploads).
create function public.admin_statistics()
returns table (role text, total_interviews bigint, total_media_uploads bigint, active_users bigint, users jsonb)
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not private.is_admin() and auth.role() is distinct from 'service_role' then
    raise insufficient_privilege using message = 'permission denied for function admin_statistics';
  end if;
  return query
  with interviews as (
    select i.user_id, count(*) as counted, max(i.created_at) as latest
    from public.interviews as i where i.user_id is not null group by 1
  ),
  uploads as (
    -- Joined before it is counted: grouping 200,000 rows by interview first took twice as long.
    select i.user_id, count(*) as counted, max(m.created_at) as latest
    from public.media_uploads as m join public.interviews as i on i.id = m.interview_id
    where i.user_id is not null group by 1
  ),
  people as (
    select r.role, r.user_id, coalesce(nullif(u.email, ''), 'Unbekannt') as user_email,
      coalesce(i.counted, 0) as interviews_count, coalesce(m.counted, 0) as media_uploads_count,
      greatest(i.latest, m.latest) as last_activity
    from public.user_roles as r
    join auth.users as u on u.id = r.user_id
    left join interviews as i on i.user_id = r.user_id
    left join uploads as m on m.user_id = r.user_id
  )
  select shown.role, coalesce(sum(p.interviews_count), 0)::bigint, coalesce(sum(p.media_uploads_count), 0)::bigint,
    count(*) filter (where p.interviews_count + p.media_uploads_count > 0),
    coalesce(
      jsonb_agg(to_jsonb(p) order by p.interviews_count + p.media_uploads_count desc, p.user_email)
        filter (where p.user_id is not null),
      '[]'
    )
  from unnest(array['firma_a', 'firma_b', 'testnormec', 'admin']) with ordinality as shown (role, place)
  left join people as p on p.role = shown.role
  group by shown.role, shown.place
  order by shown.place;
end
$$;

-- `file_type` is a MIME type, as the browser named it (§3).
create function private.media_kind(file_type text) returns text
language sql immutable parallel safe set search_path = ''
as $$
  select case
    when file_type ilike 'audio/%' then 'audio'
    when file_type ilike 'video/%' then 'video'
    when file_type ilike 'image/%' then 'image'
    when file_type ilike 'text/%' then 'text'
    else 'document'
  end
$$;

-- How much of each kind came in, week by week (§2.12). Weeks begin on a Monday in Germany; the last one is the present
-- week. Every week has every kind, so a quiet week is a zero, not a gap.
create function public.admin_activity(weeks integer default 12)
returns table (week date, kind text, total bigint)
language plpgsql stable security definer set search_path = ''
as $$
declare
  this_week timestamp := date_trunc('week', now() at time zone 'Europe/Berlin');
  starts timestamptz[];
begin
  if not private.is_admin() and auth.role() is distinct from 'service_role' then
    raise insufficient_privilege using message = 'permission denied for function admin_activity';
  end if;
  if weeks is null or weeks not between 1 and 104 then
    raise invalid_parameter_value using message = 'weeks must be between 1 and 104';
  end if;
  select array_agg((this_week - make_interval(weeks => back)) at time zone 'Europe/Berlin' order by back desc)
  into starts from generate_series(0, weeks - 1) as back;
  return query
  with counted as (
    -- By place among the beginnings of weeks and by plain type: a row costs a search in a small array, no calendar.
    select width_bucket(i.created_at, starts) as place, 'interview' as kind, count(*) as counted
    from public.interviews as i where i.created_at >= starts[1] group by 1
    union all
    select typed.place, private.media_kind(typed.file_type), typed.counted
    from (
      select width_bucket(m.created_at, starts) as place, m.file_type, count(*) as counted
      from public.media_uploads as m where m.created_at >= starts[1] group by 1, 2
    ) as typed
  )
  select (starts[place.place] at time zone 'Europe/Berlin')::date, kinds.kind, coalesce(sum(c.counted), 0)::bigint
  from generate_series(1, weeks) as place
  cross join unnest(array['interview', 'audio', 'video', 'image', 'document', 'text']) with ordinality as kinds (kind, rank)
  left join counted as c on c.place = place.place and c.kind = kinds.kind
  group by place.place, kinds.kind, kinds.rank
  order by place.place, kinds.rank;
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function public.admin_statistics(), public.admin_activity(integer) from public, anon;
grant execute on function public.admin_statistics(), public.admin_activity(integer) to authenticated, service_role;
