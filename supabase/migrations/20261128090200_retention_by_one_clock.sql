-- What is due is judged by the clock that dated the contributions. A server beside another database whose own clock was
-- ahead erased what was younger than the period.

-- Once a day, whichever server comes first, and never on the day on which the period was set: there is time to look at
-- what would go. Servers call it at least once an hour: where none did for a day, the period may have been off, and it
-- begins anew, as does one that was set while the clock was ahead. Null: not now, or nothing is due.
create or replace function public.desk_retain_daily(days integer, before timestamptz) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  last private.retention;
  due timestamptz := least(before, clock_timestamp() - days * interval '24 hours');
begin
  if not pg_try_advisory_xact_lock(hashtext('desk_retain_daily')) then return null; end if;
  insert into private.retention as r (days, seen_at) values ($1, clock_timestamp())
  on conflict (single) do update set days = excluded.days, seen_at = excluded.seen_at,
    since = case
      when r.days = excluded.days and r.seen_at > excluded.seen_at - interval '1 day'
        then least(r.since, excluded.seen_at)
      else clock_timestamp()
    end
  returning * into last;
  if last.since > clock_timestamp() - interval '1 day' or last.ran_on = current_date then return null; end if;
  update private.retention set ran_on = current_date;
  if not exists (select private.retained_until(due)) then return null; end if;
  return public.desk_retain(due, null);
end
$$;
