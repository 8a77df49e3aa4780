-- Word: to the team when a contribution is complete, to its contributor when it is up for review or published. What is to be
-- sent is a row, made by the change that calls for it; a server takes rows out and sends them. No setting, no mails.

create table private.desk_mails (
  id bigint generated always as identity primary key,
  -- What makes 'never twice' true, however often a trigger fires.
  key text not null unique,
  interview_id bigint not null references private.desk_items (interview_id) on delete cascade,
  mail text not null,
  -- To the contributor: the change it is about, with its text or link.
  event_id bigint references private.desk_events (id) on delete cascade,
  -- To the team: an admin, or an address the operator gave. Addresses of contributors are looked up when it is sent.
  colleague uuid,
  address text,
  -- The same at every attempt, so that a mail server or a reader can tell.
  message_id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default now(),
  -- waiting: when to try. claimed, sending: when whoever has it counts as gone.
  due_at timestamptz not null default now(),
  state text not null default 'waiting',
  claim uuid,
  attempts integer not null default 0,
  constraint desk_mails_mail_known check (mail in ('new', 'for_review', 'published')),
  constraint desk_mails_state_known check (
    state in ('waiting', 'claimed', 'sending', 'sent', 'refused', 'unsure', 'no_address')
  )
);
create index desk_mails_due_idx on private.desk_mails (due_at, id) where state in ('waiting', 'claimed', 'sending');
create index desk_mails_interview_id_idx on private.desk_mails (interview_id);
create index desk_mails_event_id_idx on private.desk_mails (event_id);
alter table private.desk_mails enable row level security;
revoke all on private.desk_mails from public, anon, authenticated;

-- What calls for a mail -------------------------------------------------------------------------------------------------

-- The team's addresses; an empty list means every admin; null means that nobody sends mails here.
create function private.desk_mail_team() returns jsonb
language sql stable security definer set search_path = ''
as $$
  select value -> 'to' from private.settings where name = 'desk_mail'
$$;

create function private.on_desk_finished() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  team jsonb := private.desk_mail_team();
begin
  if team is null then return null; end if;
  insert into private.desk_mails (key, interview_id, mail, colleague, address)
  select format('new:%s:%s', new.interview_id, coalesce(who.address, who.colleague::text)), new.interview_id, 'new', who.colleague, who.address
  from (
    select null::uuid as colleague, lower(address) as address from jsonb_array_elements_text(team) as address
    union all
    select user_id, null from public.user_roles where role = 'admin' and team = '[]'
  ) as who
  on conflict (key) do nothing;
  return null;
end
$$;

-- A review is each time another one; a link is told once.
create function private.on_desk_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if private.desk_mail_team() is null then return null; end if;
  insert into private.desk_mails (key, interview_id, mail, event_id)
  values (
    case new.after when 'published' then format('published:%s:%s', new.interview_id, md5(new.text)) else format('for_review:%s', new.id) end,
    new.interview_id, new.after, new.id
  )
  on conflict (key) do nothing;
  return null;
end
$$;

create trigger on_desk_finished_insert after insert on private.desk_items
  for each row when (new.finished) execute function private.on_desk_finished();
create trigger on_desk_finished_update after update of finished on private.desk_items
  for each row when (new.finished and not old.finished) execute function private.on_desk_finished();
create trigger on_desk_state after insert on private.desk_events
  for each row when (new.what = 'state' and new.after in ('for_review', 'published')) execute function private.on_desk_state();

-- What became of it -----------------------------------------------------------------------------------------------------

-- That the team was told is no news to it; everything else is an event of the contribution.
create function private.desk_mail_end(id bigint, outcome text, answer text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  ended private.desk_mails;
begin
  update private.desk_mails as m set state = outcome, claim = null where m.id = desk_mail_end.id returning * into ended;
  if ended.mail = 'new' and outcome in ('sent', 'no_address') then return; end if;
  insert into private.desk_events (interview_id, what, before, after, text)
  values (ended.interview_id, 'mail', ended.mail, outcome, answer);
  update private.desk_items as d set changed_at = clock_timestamp() where d.interview_id = ended.interview_id;
end
$$;

create function private.desk_mail_address(mail private.desk_mails) returns text
language sql stable security definer set search_path = ''
as $$
  select nullif(case
    when mail.address is not null then mail.address
    when mail.colleague is not null then (
      select u.email from public.user_roles as r join auth.users as u on u.id = r.user_id
      where r.user_id = mail.colleague and r.role = 'admin'
    )
    when mail.mail <> 'new' then (
      select coalesce(i.contact_email, i.user_email) from public.interviews as i where i.id = mail.interview_id
    )
  end, '')
$$;

-- Everything a letter is written from. Answers go to the team's address, else to whoever wrote.
create function private.desk_mail_whole(mail private.desk_mails) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'id', mail.id, 'claim', mail.claim, 'mail', mail.mail, 'messageId', mail.message_id, 'createdAt', mail.created_at,
    'to', private.desk_mail_address(mail),
    'replyTo', case when mail.mail <> 'new' then coalesce(private.desk_mail_team() ->> 0, who.email) end,
    'contribution', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'firstName', i.contact_first_name, 'text', e.text
  )
  from private.desk_items as d
  join public.interviews as i on i.id = d.interview_id
  left join private.desk_events as e on e.id = mail.event_id
  left join auth.users as who on who.id = e.by
  where d.interview_id = mail.interview_id
$$;

-- For the server that sends ---------------------------------------------------------------------------------------------

-- Says that somebody sends here, and to whom the team's mails go.
create function public.desk_mail_configure(addresses text[]) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.settings (name, value) values ('desk_mail', jsonb_build_object('to', to_jsonb(addresses)))
  on conflict on constraint settings_pkey do update set value = excluded.value
$$;

-- The next mail, for the caller alone for two minutes; null where there is none. What cannot be sent is ended on the way, though
-- never by waiting for somebody's lock: whoever erases a contribution holds its line and wants its mails.
create function public.desk_mail_claim() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  next private.desk_mails;
  outcome text;
begin
  loop
    select * into next from private.desk_mails
    where state in ('waiting', 'claimed', 'sending') and due_at <= clock_timestamp()
    order by due_at, id limit 1 for update skip locked;
    if not found then return null; end if;
    outcome := case
      -- Begun, and then nobody was left to say how it ended: never again, it may have arrived.
      when next.state = 'sending' then 'unsure'
      when private.desk_mail_address(next) is null then 'no_address'
      when next.created_at < now() - interval '7 days' then 'refused'
    end;
    if outcome is null then
      update private.desk_mails as m
      set state = 'claimed', claim = gen_random_uuid(), attempts = m.attempts + 1, due_at = clock_timestamp() + interval '2 minutes'
      where m.id = next.id returning * into next;
      return private.desk_mail_whole(next);
    end if;
    perform from private.desk_items as d where d.interview_id = next.interview_id for update skip locked;
    if found then
      perform private.desk_mail_end(next.id, outcome, null);
    else
      update private.desk_mails as m set due_at = clock_timestamp() + interval '10 seconds' where m.id = next.id;
    end if;
  end loop;
end
$$;

-- Before the first byte goes out. False: somebody else has it by now, or it is gone.
create function public.desk_mail_begin(id bigint, claim uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  update private.desk_mails as m set state = 'sending', due_at = clock_timestamp() + interval '10 minutes'
  where m.id = desk_mail_begin.id and m.claim = desk_mail_begin.claim and m.state = 'claimed';
  return found;
end
$$;

-- `outcome`: sent, refused, unsure, or later: then it is tried again after 30 s, 1 min, 2 min … at most an hour.
create function public.desk_mail_settle(id bigint, claim uuid, outcome text, answer text default null) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint := (select m.interview_id from private.desk_mails as m where m.id = desk_mail_settle.id);
begin
  if outcome not in ('sent', 'refused', 'unsure', 'later') or length(answer) > 200 then perform private.desk_refuse('outcome'); end if;
  perform from private.desk_items as d where d.interview_id = contribution for update;
  perform from private.desk_mails as m
  where m.id = desk_mail_settle.id and m.claim = desk_mail_settle.claim and m.state in ('claimed', 'sending') for update;
  if not found then return; end if;
  if outcome <> 'later' then
    perform private.desk_mail_end(desk_mail_settle.id, outcome, answer);
    return;
  end if;
  update private.desk_mails as m
  set state = 'waiting', claim = null, due_at = clock_timestamp() + least(interval '1 hour', interval '30 seconds' * 2 ^ least(m.attempts - 1, 10))
  where m.id = desk_mail_settle.id;
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function
  public.desk_mail_configure(text[]), public.desk_mail_claim(), public.desk_mail_begin(bigint, uuid),
  public.desk_mail_settle(bigint, uuid, text, text)
  from public, anon, authenticated;
grant execute on function
  public.desk_mail_configure(text[]), public.desk_mail_claim(), public.desk_mail_begin(bigint, uuid),
  public.desk_mail_settle(bigint, uuid, text, text)
  to service_role;
