-- Activity over time for the admin's start page (§2.12): how much of each kind came in, week by week. Weeks begin on a
-- Monday in Germany; the last one is the present week. Every week has every kind, so a quiet week is a zero, not a gap.
create index interviews_created_at_idx on public.interviews (created_at);
create index media_uploads_created_at_file_type_idx on public.media_uploads (created_at, file_type);

-- §3: `file_type` is a MIME type, as the browser named it.
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
revoke execute on function private.media_kind(text) from public;

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

revoke execute on function public.admin_activity(integer) from public, anon;
grant execute on function public.admin_activity(integer) to authenticated, service_role;
