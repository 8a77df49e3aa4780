-- The activity counted every contribution as an interview, also a picture or a voice message. Now contributions count by
-- the kind that the desk shows, and files by themselves (decision 0304).
create or replace function public.admin_activity(weeks integer default 12)
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
    -- By place among the beginnings of weeks: a row costs a search in a small array, no calendar.
    select width_bucket(d.created_at, starts) as place, d.kind, count(*) as counted
    from private.desk_items as d where d.created_at >= starts[1] group by 1, 2
    union all
    select width_bucket(m.created_at, starts), 'file', count(*)
    from public.media_uploads as m where m.created_at >= starts[1] group by 1
  )
  select (starts[place.place] at time zone 'Europe/Berlin')::date, kinds.kind, coalesce(sum(c.counted), 0)::bigint
  from generate_series(1, weeks) as place
  cross join unnest(array['interview', 'voice_message', 'video', 'image', 'document', 'contributor', 'file'])
    with ordinality as kinds (kind, rank)
  left join counted as c on c.place = place.place and c.kind = kinds.kind
  group by place.place, kinds.kind, kinds.rank
  order by place.place, kinds.rank;
end
$$;
