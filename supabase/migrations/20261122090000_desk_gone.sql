-- Which of the contributions that somebody sees in a list are no longer there. A list asks when desk_pulse() says that something
-- has changed; a line costs one look into an index, however many contributions there are.
create function public.desk_gone(ids bigint[]) returns bigint[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_gone');
  if cardinality(ids) > 10000 then perform private.desk_refuse('ids: more than 10000'); end if;
  return array(
    select shown.id from unnest(ids) as shown (id)
    where not exists (select from private.desk_items as d where d.interview_id = shown.id)
  );
end
$$;

revoke execute on function public.desk_gone(bigint[]) from public, anon;
grant execute on function public.desk_gone(bigint[]) to authenticated;
