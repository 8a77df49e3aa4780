-- A page of what would go follows the place where the one before ended, not its last row: where that row was erased
-- meanwhile, the next page was empty and the preview looked complete.

drop function public.desk_retention(timestamptz, bigint);

-- What would go, oldest first; `after` is the place where the page before ended.
create function public.desk_retention(before timestamptz, after text default null) returns jsonb
language plpgsql stable security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  place jsonb;
begin
  perform private.desk_admit('desk_retention');
  begin
    place := convert_from(decode(desk_retention.after, 'hex'), 'UTF8')::jsonb;
    perform (place ->> 1)::timestamptz, (place ->> 2)::bigint;
    if place ->> 0 <> 'retention' then raise invalid_text_representation; end if;
  exception when others then
    perform private.desk_refuse('after');
  end;
  return (
    with due as (
      select i.id, greatest(i.created_at, i.completed_at) as at from public.interviews as i
      where i.created_at < desk_retention.before and greatest(i.created_at, i.completed_at) < desk_retention.before
    ),
    page as (
      select d.id, d.at from due as d
      where place is null or (d.at, d.id) > ((place ->> 1)::timestamptz, (place ->> 2)::bigint)
      order by d.at, d.id limit 50
    )
    select jsonb_build_object(
      'total', (select count(*) from due),
      'oldest', (select min(at) from due),
      'items', coalesce(jsonb_agg(
        jsonb_build_object(
          'id', p.id, 'createdAt', p.at, 'transcript', left(coalesce(i.transcript, ''), 200),
          'contributor', coalesce(t.contributor, ''), 'files', coalesce(t.files, 0)
        ) order by p.at, p.id
      ), '[]'),
      'next', (array_agg(private.desk_cursor('retention', p.at::text, p.id) order by p.at, p.id))[50]
    )
    from page as p join public.interviews as i on i.id = p.id
    left join private.desk_items as t on t.interview_id = p.id
  );
end
$$;

revoke execute on function public.desk_retention(timestamptz, text) from public, anon, authenticated, service_role;
-- It looks itself whether an admin asks.
grant execute on function public.desk_retention(timestamptz, text) to authenticated;
