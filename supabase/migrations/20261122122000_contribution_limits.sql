-- How much may be handed in: contributions, rows and characters of one network in an hour without a login, and rows and
-- characters of one contribution for everybody. Counted in the insert itself, so that no spelling of an address and no
-- number of rows in one request gets past it, and shared by all servers of an installation.

-- What the operator decided -----------------------------------------------------------------------------------------------

insert into private.settings (name, value) values ('contribution_limits', '{
  "contributions_per_hour": 60, "rows_per_hour": 5000, "characters_per_hour": 5000000,
  "files": 200, "turns": 5000, "feedback": 1000,
  "transcript_characters": 200000, "turn_characters": 2000000, "answer_characters": 20000
}') on conflict do nothing;

-- For the operator: the embedded server calls it at its start, on a hosted backend it is run by hand. What is not named stays.
create function private.configure_contribution_limits(limits jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if exists (
    select from jsonb_each(limits) as given (name, value)
    where jsonb_typeof(value) <> 'number' or value::numeric < 1 or value::numeric > 1000000000 or value::numeric % 1 <> 0
      or not exists (select from private.settings as s where s.name = 'contribution_limits' and s.value ? given.name)
  ) then
    raise invalid_parameter_value using message = format('no such contribution limits: %s', limits);
  end if;
  update private.settings as s set value = s.value || limits where s.name = 'contribution_limits';
end
$$;

create function private.contribution_limit(kind text) returns bigint
language sql stable security definer set search_path = ''
as $$
  select (value ->> kind)::bigint from private.settings where name = 'contribution_limits'
$$;

-- Refusals ----------------------------------------------------------------------------------------------------------------

-- PostgREST's own way to say status and headers (RAISE with SQLSTATE 'PGRST').
create function private.refuse(status integer, code text, message text, headers jsonb default '{}') returns void
language plpgsql set search_path = ''
as $$
begin
  raise sqlstate 'PGRST' using
    message = jsonb_build_object('code', code, 'message', message, 'details', null, 'hint', null)::text,
    detail = jsonb_build_object('status', status, 'headers', headers)::text;
end
$$;

-- Networks ----------------------------------------------------------------------------------------------------------------

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

alter table private.network_key enable row level security;
alter table private.network_counts enable row level security;
revoke all on private.network_key, private.network_counts from public, anon, authenticated, service_role;

-- Where the caller is: the IPv4 address, or the /64 that one IPv6 subscriber owns. This server says the address it believes
-- in x-forwarded-for and drops cf-connecting-ip; on a hosted project cf-connecting-ip is the gateway's, which no caller can
-- choose. What is there and is no address counts as one network of its own; null: the gateway says nothing of addresses.
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

-- Removes counts that have ended, and the key with the last of them or after a day.
create function private.forget_networks() returns void
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.network_counts as c using (
    select network, what from private.network_counts where since < now() - interval '1 hour' for update skip locked
  ) as ended
  where c.network = ended.network and c.what = ended.what;
  delete from private.network_key
  where made_at < now() - interval '1 day'
    or (made_at < now() - interval '1 hour' and not exists (select from private.network_counts));
end
$$;

-- Under which name a network is counted. Makes the key where there is none; another transaction may remove it meanwhile.
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

-- Adds to what the caller's network has done in its hour. Refuses what is above the limit, and then counts none of it.
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

-- Contributions -----------------------------------------------------------------------------------------------------------

-- Comes after on_interview_insert: an insert that is merged into a row does not reach it, and user_id is the database's.
create function private.on_interview_limit() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if row_security_active(tg_relid) then
    perform private.count_network('contributions', 1, 'over_contribution_limit');
  end if;
  return new;
end
$$;
create trigger on_interview_limit before insert on public.interviews
  for each row when (new.user_id is null) execute function private.on_interview_limit();

-- Texts that grow. The old row's own length is free, so what was handed in under a larger limit can still be corrected.
create function private.on_interview_texts() returns trigger
language plpgsql set search_path = ''
as $$
declare
  transcript integer := coalesce(length(new.transcript), 0);
  answers integer := coalesce(length(new.w_questions_answers::text), 0);
  transcript_before integer := 0;
  answers_before integer := 0;
begin
  if not row_security_active(tg_relid) then return new; end if;
  if tg_op = 'UPDATE' then
    transcript_before := coalesce(length(old.transcript), 0);
    answers_before := coalesce(length(old.w_questions_answers::text), 0);
  end if;
  if transcript > greatest(transcript_before, private.contribution_limit('transcript_characters')) then
    perform private.refuse(413, 'transcript_too_long', 'The transcript is too long');
  end if;
  if answers > greatest(answers_before, private.contribution_limit('answer_characters')) then
    perform private.refuse(413, 'answers_too_long', 'The answers are too long');
  end if;
  if new.user_id is null then
    perform private.count_network(
      'characters',
      greatest(0, transcript - transcript_before) + greatest(0, answers - answers_before),
      'over_contribution_limit'
    );
  end if;
  return new;
end
$$;
-- Without a text nothing is asked. On insert it comes after user_id is set.
create trigger on_interview_texts_insert before insert on public.interviews
  for each row when (new.transcript is not null or new.w_questions_answers is not null)
  execute function private.on_interview_texts();
create trigger on_interview_texts_update before update of transcript, w_questions_answers on public.interviews
  for each row when (new.transcript is distinct from old.transcript or new.w_questions_answers is distinct from old.w_questions_answers)
  execute function private.on_interview_texts();

-- What hangs on a contribution --------------------------------------------------------------------------------------------

create table private.contribution_usage (
  interview_id bigint primary key references public.interviews (id) on delete cascade,
  files bigint not null default 0,
  turns bigint not null default 0,
  feedback bigint not null default 0,
  turn_characters bigint not null default 0
);
alter table private.contribution_usage enable row level security;
revoke all on private.contribution_usage from public, anon, authenticated, service_role;

insert into private.contribution_usage (interview_id, files, turns, feedback, turn_characters)
select id, coalesce(m.files, 0), coalesce(t.turns, 0), coalesce(f.feedback, 0), coalesce(t.characters, 0)
from public.interviews
left join (select interview_id, count(*) as files from public.media_uploads group by 1) as m on m.interview_id = id
left join (select interview_id, count(*) as turns, sum(length(content)) as characters from public.interview_turns group by 1) as t
  on t.interview_id = id
left join (select interview_id, count(*) as feedback from public.feedback group by 1) as f on f.interview_id = id
where m.files is not null or t.turns is not null or f.feedback is not null;

-- Adds rows of one contribution; `limited`: the caller is under row-level security. The row's lock makes inserts at the
-- same time count each other.
create function private.count_attached(contribution bigint, what text, amount bigint, characters bigint, limited boolean) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  used private.contribution_usage;
begin
  insert into private.contribution_usage as u (interview_id, files, turns, feedback, turn_characters)
  values (
    contribution, case when what = 'files' then amount else 0 end, case when what = 'turns' then amount else 0 end,
    case when what = 'feedback' then amount else 0 end, characters
  )
  on conflict (interview_id) do update set
    files = u.files + excluded.files, turns = u.turns + excluded.turns, feedback = u.feedback + excluded.feedback,
    turn_characters = u.turn_characters + excluded.turn_characters
  returning * into used;
  if not limited then return; end if;
  if (to_jsonb(used) ->> what)::bigint > private.contribution_limit(what)
    or (characters > 0 and used.turn_characters > private.contribution_limit('turn_characters')) then
    perform private.refuse(413, 'contribution_full', 'The contribution holds as much as it may');
  end if;
  if private.member_id() is null then
    perform private.count_network('rows', amount, 'over_contribution_limit');
    perform private.count_network('characters', characters, 'over_contribution_limit');
  end if;
end
$$;

-- One count a statement and contribution, not one a row. The first argument says what is counted.
create function private.on_attached() returns trigger
language plpgsql set search_path = ''
as $$
declare
  limited constant boolean := row_security_active(tg_relid);
begin
  perform private.count_attached(
    interview_id, tg_argv[0], count(*),
    coalesce(sum(length(to_jsonb(added) ->> 'content')), 0)::bigint, limited
  )
  from added group by interview_id order by interview_id;
  return null;
end
$$;

create trigger on_files_counted after insert on public.media_uploads
  referencing new table as added for each statement execute function private.on_attached('files');
create trigger on_turns_counted after insert on public.interview_turns
  referencing new table as added for each statement execute function private.on_attached('turns');
create trigger on_feedback_counted after insert on public.feedback
  referencing new table as added for each statement execute function private.on_attached('feedback');

-- Rights to call ----------------------------------------------------------------------------------------------------------

revoke execute on function
  private.configure_contribution_limits(jsonb), private.contribution_limit(text), private.refuse(integer, text, text, jsonb),
  private.network(), private.hash_network(text), private.forget_networks(), private.count_network(text, bigint, text), private.on_interview_limit(),
  private.on_interview_texts(), private.count_attached(bigint, text, bigint, bigint, boolean), private.on_attached()
  from public, anon, authenticated, service_role;
-- Triggers run with the caller's rights, because only there PostgreSQL says whether row-level security holds for it.
grant execute on function
  private.contribution_limit(text), private.refuse(integer, text, text, jsonb), private.count_network(text, bigint, text)
  to anon, authenticated;
-- The service is not limited, and what it adds is counted.
grant execute on function private.count_attached(bigint, text, bigint, bigint, boolean) to anon, authenticated, service_role;
