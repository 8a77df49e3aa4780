-- A mail can be written while its contribution goes: by a sender that had it in hand already, or by a server that went down right
-- after the rows were gone. Nothing then says any more that it was about somebody erased, so that is remembered for a while.
create table private.erased_letters (
  message_id uuid primary key,
  at timestamptz not null default clock_timestamp()
);
alter table private.erased_letters enable row level security;
revoke all on private.erased_letters from public, anon, authenticated, service_role;

create or replace function public.desk_erasure_rows(contribution bigint) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.erased_letters (message_id)
  select m.message_id from private.desk_mails as m where m.interview_id = $1
  on conflict (message_id) do update set at = excluded.at;
  delete from public.interviews as i where i.id = $1;
  delete from private.interview_keys as k where k.interview_id = $1;
  delete from private.desk_stale as s where s.interview_id = $1;
  insert into private.erased_contributions (interview_id) values ($1)
  on conflict (interview_id) do update set at = excluded.at;
end
$$;

-- What mails must not be about any more.
create function public.desk_erasure_gone() returns jsonb
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.erased_letters where at < now() - interval '3 days';
  return jsonb_build_object(
    'contributions', coalesce((
      select jsonb_agg(e.interview_id) from private.erased_contributions as e
      where not exists (select from public.interviews where id = e.interview_id)
    ), '[]'),
    'letters', coalesce((select jsonb_agg(l.message_id) from private.erased_letters as l), '[]')
  );
end
$$;
revoke execute on function public.desk_erasure_gone() from public, anon, authenticated, service_role;
grant execute on function public.desk_erasure_gone() to service_role;
