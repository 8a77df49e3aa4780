-- The queue of the desk's mails, for the servers that send.
--
-- Where many contributions come at once, a mailbox of the team gets one mail about all of them: the first at once, then
-- one in a pause. Rows that share a letter share its claim, so the outcome of the letter is that of each.

-- One mailbox of the team.
create function private.desk_mail_box(mail private.desk_mails) returns text
language sql immutable set search_path = ''
as $$
  select coalesce(mail.address, mail.colleague::text)
$$;

create function private.desk_mail_pause() returns interval
language sql stable security definer set search_path = ''
as $$
  select make_interval(secs => coalesce((select (value #>> '{}')::integer from private.settings where name = 'desk_mail_pause'), 900))
$$;

-- When the mailbox may get its next mail, or null where that is now. Called under the mailbox's lock.
create function private.desk_mail_pause_ends(box text) returns timestamptz
language sql volatile security definer set search_path = ''
as $$
  select max(m.told_at) + private.desk_mail_pause()
  from private.desk_mails as m
  where m.mail = 'new' and coalesce(m.address, m.colleague::text) = box
    and (m.state in ('sending', 'sent', 'unsure', 'refused') or (m.state = 'claimed' and m.due_at > clock_timestamp()))
  having max(m.told_at) + private.desk_mail_pause() > clock_timestamp()
$$;

-- Everything that waits for the mailbox, taken by one letter. The mail given is among it.
create function private.desk_mail_gather(first private.desk_mails) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ids bigint[];
  letter uuid := gen_random_uuid();
  lead private.desk_mails;
begin
  select array_agg(o.id) into ids from (
    select m.id from private.desk_mails as m
    where m.mail = 'new' and coalesce(m.address, m.colleague::text) = private.desk_mail_box(first)
      and (m.state = 'waiting' or (m.state = 'claimed' and m.due_at <= clock_timestamp()))
      and m.created_at >= now() - interval '7 days'
    for update skip locked
  ) as o;
  update private.desk_mails as m
  set state = 'claimed', claim = letter, attempts = m.attempts + 1, told_at = clock_timestamp(), letter_rows = cardinality(ids),
    due_at = clock_timestamp() + interval '2 minutes'
  where m.id = any (ids);
  select * into lead from private.desk_mails as m where m.id = first.id;
  return private.desk_mail_whole(lead) || jsonb_build_object('count', cardinality(ids), 'others', coalesce((
    select jsonb_agg(jsonb_build_object('contribution', d.interview_id, 'area', d.area, 'kind', d.kind) order by o.id)
    from (select m.* from private.desk_mails as m where m.id = any (ids) and m.id <> first.id order by m.id limit 100) as o
    join private.desk_items as d on d.interview_id = o.interview_id
  ), '[]'));
end
$$;

-- For the server that sends -------------------------------------------------------------------------------------------

-- Says that a server sends here, and to whom the team's mails go.
create function public.desk_mail_configure(addresses text[]) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.settings (name, value) values ('desk_mail', jsonb_build_object('to', to_jsonb(addresses)))
  on conflict on constraint settings_pkey do update set value = excluded.value
$$;

-- Seconds between two mails to a mailbox; a server says it at its start.
create function public.desk_mail_set_pause(seconds integer) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if seconds is null or seconds < 0 or seconds > 86400 then perform private.desk_refuse('seconds'); end if;
  insert into private.settings (name, value) values ('desk_mail_pause', to_jsonb(seconds))
  on conflict on constraint settings_pkey do update set value = excluded.value;
end
$$;

-- The next mail, for the caller alone for two minutes; null where there is none. A mail that cannot be sent is ended on
-- the way, though never by waiting for a lock: an erasure holds the line of its contribution and wants its mails.
create function public.desk_mail_claim() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  next private.desk_mails;
  outcome text;
  later timestamptz;
  passed bigint[] := '{}';
begin
  loop
    select * into next from private.desk_mails as m
    where m.state in ('waiting', 'claimed', 'sending') and m.due_at <= clock_timestamp() and m.id <> all (passed)
    order by m.due_at, m.id limit 1;
    if not found then return null; end if;
    passed := passed || next.id;
    -- Before any row is locked: who takes the mailbox's rows must find all of them free.
    if next.mail = 'new' then perform pg_advisory_xact_lock(hashtextextended('desk_mail:' || private.desk_mail_box(next), 0)); end if;
    select * into next from private.desk_mails as m
    where m.id = next.id and m.state in ('waiting', 'claimed', 'sending') and m.due_at <= clock_timestamp() for update skip locked;
    continue when not found;
    outcome := case
      -- Begun, and then nobody was left to say how it ended: never again, it may have arrived.
      when next.state = 'sending' then 'unsure'
      when private.desk_mail_address(next) is null then 'no_address'
      when next.created_at < now() - interval '7 days' then 'refused'
    end;
    if outcome is null and next.mail <> 'new' then
      update private.desk_mails as m
      set state = 'claimed', claim = gen_random_uuid(), attempts = m.attempts + 1, due_at = clock_timestamp() + interval '2 minutes'
      where m.id = next.id returning * into next;
      return private.desk_mail_whole(next);
    elsif outcome is null then
      later := private.desk_mail_pause_ends(private.desk_mail_box(next));
      if later is null then return private.desk_mail_gather(next); end if;
      update private.desk_mails as m set due_at = later, state = 'waiting', claim = null
      where m.id in (
        select o.id from private.desk_mails as o
        where o.mail = 'new' and coalesce(o.address, o.colleague::text) = private.desk_mail_box(next) and o.due_at <= clock_timestamp()
          and o.state in ('waiting', 'claimed')
        for update skip locked
      );
    else
      perform from private.desk_items as d where d.interview_id = next.interview_id for update skip locked;
      if found then
        perform private.desk_mail_end(next.id, outcome, null);
      else
        update private.desk_mails as m set due_at = clock_timestamp() + interval '10 seconds' where m.id = next.id;
      end if;
    end if;
  end loop;
end
$$;

-- Before the first byte goes out. False: another server has it by now, or it is gone.
create function public.desk_mail_begin(id bigint, claim uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  taken integer;
begin
  update private.desk_mails as m set state = 'sending', due_at = clock_timestamp() + interval '10 minutes'
  where m.claim = desk_mail_begin.claim and m.state = 'claimed' and exists (
    select from private.desk_mails as o where o.id = desk_mail_begin.id and o.claim = desk_mail_begin.claim
    and coalesce(o.letter_rows, 1) = (select count(*) from private.desk_mails as a where a.claim = desk_mail_begin.claim and a.state = 'claimed')
  );
  get diagnostics taken = row_count;
  return taken > 0;
end
$$;

-- `outcome`: sent, refused, unsure, or later: then it is tried again after 30 s, 1 min, 2 min … at most an hour.
create function public.desk_mail_settle(id bigint, claim uuid, outcome text, answer text default null) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ids bigint[];
begin
  if outcome not in ('sent', 'refused', 'unsure', 'later') or length(answer) > 200 then perform private.desk_refuse('outcome'); end if;
  perform from private.desk_items as d
  where d.interview_id in (select m.interview_id from private.desk_mails as m where m.claim = desk_mail_settle.claim)
  order by d.interview_id for update;
  select array_agg(o.id) into ids from (
    select m.id from private.desk_mails as m
    where m.claim = desk_mail_settle.claim and m.state in ('claimed', 'sending')
      and not exists (
        select from private.desk_mails as l where l.id = desk_mail_settle.id and l.claim is distinct from desk_mail_settle.claim
      )
    order by m.id for update
  ) as o;
  if ids is null then return; end if;
  if outcome <> 'later' then
    perform private.desk_mail_end(o, desk_mail_settle.outcome, desk_mail_settle.answer) from unnest(ids) as o;
    return;
  end if;
  update private.desk_mails as m
  set state = 'waiting', claim = null, told_at = null,
    due_at = clock_timestamp() + least(interval '1 hour', interval '30 seconds' * 2 ^ least(m.attempts - 1, 10))
  where m.id = any (ids);
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function
  public.desk_mail_configure(text[]), public.desk_mail_set_pause(integer), public.desk_mail_claim(),
  public.desk_mail_begin(bigint, uuid), public.desk_mail_settle(bigint, uuid, text, text)
  from public, anon, authenticated;
grant execute on function
  public.desk_mail_configure(text[]), public.desk_mail_set_pause(integer), public.desk_mail_claim(),
  public.desk_mail_begin(bigint, uuid), public.desk_mail_settle(bigint, uuid, text, text)
  to service_role;
