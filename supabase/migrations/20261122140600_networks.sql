-- What one network does in an hour or a day without a login, counted in the insert itself and shared by all servers of
-- an installation.

-- An address is personal data: only its hash under a key that lives for a day at most is kept, for an hour.
create table private.network_key (
  id boolean primary key default true,
  key bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
  made_at timestamptz not null default now(),
  constraint network_key_one_row check (id)
);

create table private.network_counts (
  network bytea not null,
  what text not null,
  amount bigint not null,
  since timestamptz not null default now(),
  primary key (network, what),
  constraint network_counts_what_known check (what in ('contributions', 'rows', 'characters'))
);
create index network_counts_since_idx on private.network_counts (since);

-- What came from a network on a day, for the upload quota.
create table private.upload_volumes (
  day date not null,
  network_hash bytea not null,
  files bigint not null,
  bytes bigint not null,
  primary key (day, network_hash)
);

alter table private.network_key enable row level security;
alter table private.network_counts enable row level security;
alter table private.upload_volumes enable row level security;
revoke all on private.network_key, private.network_counts, private.upload_volumes
  from public, anon, authenticated, service_role;

-- The caller's network: the IPv4 address, or the /64 that one IPv6 subscriber owns. This server sets the address it
-- believes in x-forwarded-for and drops cf-connecting-ip; on a hosted project the gateway sets cf-connecting-ip, which
-- no caller can choose. A header that is no address counts as one network of its own; null: the gateway says nothing of
-- addresses.
create function private.network() returns inet
language plpgsql stable set search_path = ''
as $$
declare
  headers jsonb := nullif(current_setting('request.headers', true), '')::jsonb;
  said text := btrim(coalesce(headers ->> 'cf-connecting-ip', split_part(headers ->> 'x-forwarded-for', ',', 1)));
  address inet;
begin
  address := said::inet;
  if family(address) = 4 then return host(address)::inet; end if;
  if address <<= '::ffff:0:0/96' then return split_part(host(address), 'ffff:', 2)::inet; end if;
  return network(set_masklen(host(address)::inet, 64));
exception when data_exception then
  return '::';
end
$$;

-- The hash under which a network is counted. Makes the key where there is none; another transaction may remove it
-- meanwhile.
create function private.hash_network(network text) returns bytea
language plpgsql volatile security definer set search_path = ''
as $$
declare
  hash bytea;
begin
  loop
    select sha256(k.key || convert_to(network, 'UTF8')) into hash from private.network_key as k;
    if found then return hash; end if;
    insert into private.network_key default values on conflict do nothing;
  end loop;
end
$$;

-- Removes counts that have ended, and the key with the last of them or after a day.
create function private.forget_networks() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.network_counts as c using (
    select network, what from private.network_counts where since < now() - interval '1 hour' for update skip locked
  ) as ended
  where c.network = ended.network and c.what = ended.what;
  delete from private.upload_volumes as v using (
    select day, network_hash from private.upload_volumes where day < current_date for update skip locked
  ) as ended
  where v.day = ended.day and v.network_hash = ended.network_hash;
  delete from private.network_key
  where made_at < now() - interval '1 day'
    or (
      made_at < now() - interval '1 hour'
      and not exists (select from private.network_counts)
      and not exists (select from private.upload_volumes)
    );
end
$$;

-- Refuses with a status and headers, in PostgREST's own way (RAISE with SQLSTATE 'PGRST').
create function private.refuse(status integer, code text, message text, headers jsonb default '{}') returns void
language plpgsql set search_path = ''
as $$
begin
  raise sqlstate 'PGRST' using
    message = jsonb_build_object('code', code, 'message', message, 'details', null, 'hint', null)::text,
    detail = jsonb_build_object('status', status, 'headers', headers)::text;
end
$$;

-- Adds to what the caller's network has done in its hour. Refuses an amount above the limit, and then counts none of
-- it.
create function private.count_network(what text, amount bigint, code text) returns void
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
  on conflict on constraint network_counts_pkey do update set
    amount = excluded.amount + case when c.since < now() - interval '1 hour' then 0 else c.amount end,
    since = case when c.since < now() - interval '1 hour' then now() else c.since end
  returning * into counted;
  if counted.amount > private.contribution_limit(what || '_per_hour') then
    seconds := greatest(1, ceil(extract(epoch from counted.since + interval '1 hour' - now())));
    perform private.refuse(429, code, 'Too many contributions from this address', jsonb_build_object('Retry-After', seconds::text));
  end if;
  if counted.amount = count_network.amount then perform private.forget_networks(); end if;
end
$$;

revoke execute on all functions in schema private from public;
-- Triggers run with the caller's rights, because only there PostgreSQL says whether row-level security holds for it.
grant execute on function private.refuse(integer, text, text, jsonb), private.count_network(text, bigint, text)
  to anon, authenticated;
