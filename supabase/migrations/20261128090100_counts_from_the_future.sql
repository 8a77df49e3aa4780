-- A network's hour that began more than an hour from now began while the clock was wrong: it counts as over (decision
-- 0384). Until then the limit of an hour was one of all that time. A key of the networks' hashes that was made then
-- lived until a day after that time, and a day's volumes until that day: both go as soon as the clock is right.

-- Tomorrow's volumes stay: they are today's for a transaction that began before midnight.
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

-- Adds to what the caller's network has done in its hour. Refuses an amount above the limit, and then counts none of
-- it.
create or replace function private.count_network(what text, amount bigint, code text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  from_network inet := private.network();
  counted private.network_counts;
  seconds integer;
begin
  if from_network is null or amount <= 0 then return; end if;
  insert into private.network_counts as c (network, what, amount)
  values (private.hash_network(from_network::text), count_network.what, count_network.amount)
  on conflict on constraint network_counts_pkey do update set (amount, since) = (
    select
      excluded.amount + case when hour.goes_on then c.amount else 0 end,
      case when hour.goes_on then c.since else now() end
    from (select c.since between now() - interval '1 hour' and now() + interval '1 hour' as goes_on) as hour
  )
  returning * into counted;
  if counted.amount > private.contribution_limit(what || '_per_hour') then
    seconds := greatest(1, ceil(extract(epoch from counted.since + interval '1 hour' - now())));
    perform private.refuse(
      429, code, 'Too many contributions from this address', jsonb_build_object('Retry-After', seconds::text)
    );
  end if;
  if counted.amount = count_network.amount then perform private.forget_networks(); end if;
end
$$;
