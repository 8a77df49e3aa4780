-- A key of the networks' hashes that was made while the clock was ahead lived until a day after that time, and a day's
-- volumes until that day: both go as soon as the clock is right (decision 0384). Tomorrow's volumes stay: they are
-- today's for a transaction that began before midnight.

create or replace function private.forget_networks() returns void
language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
begin
  delete from private.network_counts as c using (
    select network, what from private.network_counts
    where since not between now() - interval '1 hour' and now() + interval '1 hour' for update skip locked
  ) as ended
  where c.network = ended.network and c.what = ended.what;
  delete from private.upload_volumes as v using (
    select day, network_hash from private.upload_volumes
    where day not between current_date and current_date + 1 for update skip locked
  ) as ended
  where v.day = ended.day and v.network_hash = ended.network_hash;
  delete from private.network_key
  where made_at not between now() - interval '1 day' and now() + interval '1 hour'
    or (
      made_at < now() - interval '1 hour'
      and not exists (select from private.network_counts)
      and not exists (select from private.upload_volumes)
    );
end
$$;
