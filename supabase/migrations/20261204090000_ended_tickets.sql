-- Ended tickets, conversations of killed servers and the minutes of past days went with the next ticket or conversation
-- only, so never where these had been switched off. Now they go with what every server asks once an hour, too. The
-- minutes of a conversation that ended more than a day ago are no longer counted.
create or replace function public.desk_erasure_gone() returns jsonb
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.forget_networks();
  delete from private.desk_tickets where expires_at < now();
  delete from private.voice_tickets where expires_at < now();
  delete from private.voice_sessions where alive_until < now() - interval '1 day';
  delete from private.voice_minutes where day < (now() at time zone 'UTC')::date;
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
