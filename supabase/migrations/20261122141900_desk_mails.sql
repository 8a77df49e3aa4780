-- The desk's mails: to the team when a contribution is complete, to its contributor when it is up for review or
-- published. The change that calls for a mail makes a row; a server takes rows out and sends them. Without the setting
-- there are no mails.

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
  -- waiting: when to try. claimed, sending: when the server that has it counts as gone.
  due_at timestamptz not null default now(),
  state text not null default 'waiting',
  claim uuid,
  attempts integer not null default 0,
  -- When a letter with this row was last taken.
  told_at timestamptz,
  -- Rows of that letter: fewer means that one of them was erased since.
  letter_rows integer,
  constraint desk_mails_mail_known check (mail in ('new', 'for_review', 'published')),
  constraint desk_mails_state_known check (
    state in ('waiting', 'claimed', 'sending', 'sent', 'refused', 'unsure', 'no_address')
  )
);
create index desk_mails_due_idx on private.desk_mails (due_at, id) where state in ('waiting', 'claimed', 'sending');
create index desk_mails_interview_id_idx on private.desk_mails (interview_id);
create index desk_mails_event_id_idx on private.desk_mails (event_id);
create index desk_mails_box_idx on private.desk_mails (coalesce(address, colleague::text)) where mail = 'new';
create index desk_mails_claim_idx on private.desk_mails (claim) where claim is not null;
alter table private.desk_mails enable row level security;
revoke all on private.desk_mails from public, anon, authenticated;

-- Triggers ------------------------------------------------------------------------------------------------------------

-- The team's addresses; an empty list means every admin; null means that no server sends mails here.
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

-- Each review is a new one; a link is told once.
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
  for each row when (new.what = 'state' and new.after in ('for_review', 'published'))
  execute function private.on_desk_state();

-- One mail ------------------------------------------------------------------------------------------------------------

-- Ends a mail and makes an event of it, except where the team was told.
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

-- Everything a letter is written from. Answers go to the team's address, else to the author of the change.
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

revoke execute on all functions in schema private from public;
