-- The server that keeps a database of its own removes ended counts of networks every ten minutes. It may not ask a
-- hosted project to: there the hashes of the last contributors without a login stayed until the next one came. What
-- every server asks with the service key once an hour removes them, too.

create or replace function public.desk_erasure_gone() returns jsonb
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.forget_networks();
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
