-- The team's mails tell of contributors, so they go only to administrators who may sign in and whose address is known
-- to be theirs. Before, one whose account was locked, or who had never accepted the invitation, still got them, and a
-- mail about a contribution that was assigned to a locked colleague reached nobody who could work on it.

-- Asked when a mail is queued and again when it is sent. Of auth.users only what a hosted project has as well.
create function private.mailable_admins() returns table (user_id uuid, email text)
language sql stable security definer set search_path = ''
as $$
  select r.user_id, u.email::text
  from public.user_roles as r join auth.users as u on u.id = r.user_id
  where r.role = 'admin' and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
$$;

-- As before, to mailable administrators alone.
create or replace function private.on_desk_finished() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  team jsonb := private.desk_mail_team();
begin
  if team is null then return null; end if;
  insert into private.desk_mails (key, interview_id, mail, colleague, address)
  select format('new:%s:%s', new.interview_id, coalesce(who.address, who.colleague::text)), new.interview_id, 'new',
    who.colleague, who.address
  from (
    select null::uuid as colleague, lower(address) as address from jsonb_array_elements_text(team) as address
    union all
    select a.user_id, null from private.mailable_admins() as a where team = '[]'
  ) as who
  on conflict (key) do nothing;
  return null;
end
$$;

-- Tells the assignee of a change that is asked for, else the team. An assignee who gets no mails counts as none.
create function private.add_answer_mail(contribution bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  with assigned as (
    select a.user_id from private.desk_items as d join private.mailable_admins() as a on a.user_id = d.assignee
    where d.interview_id = $1
  ), told as (
    select user_id as colleague, null::text as address from assigned
    union all
    select null, lower(address) from jsonb_array_elements_text(private.desk_mail_team()) as address
    where not exists (select from assigned)
    union all
    select a.user_id, null from private.mailable_admins() as a
    where private.desk_mail_team() = '[]' and not exists (select from assigned)
  )
  insert into private.desk_mails (key, interview_id, mail, colleague, address, due_at)
  select format('review_answer:%s', gen_random_uuid()), $1, 'review_answer', t.colleague, t.address,
    greatest(now(), max(m.created_at) + private.desk_mail_pause())
  from told as t
  left join private.desk_mails as m on m.interview_id = $1 and m.mail = 'review_answer'
    and (m.colleague, m.address) is not distinct from (t.colleague, t.address)
  where private.desk_mail_team() is not null
  group by t.colleague, t.address
  having not coalesce(bool_or(m.state = 'waiting'), false)
$$;

-- As before, it waits for a transaction that takes a mail of this contribution.
create or replace function private.queue_answer_mail(contribution bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  select from private.desk_mails as l where l.interview_id = $1 order by l.id for update;
  select private.add_answer_mail($1)
$$;

-- As before. Where the only one who would have heard of a change gets no mails any more, others are told. Without a
-- lock of the other mails: what one of them tells was asked for long before, so whoever takes it now reads it.
create or replace function private.desk_mail_end(id bigint, outcome text, answer text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  ended private.desk_mails;
begin
  update private.desk_mails as m set state = outcome, claim = null where m.id = desk_mail_end.id returning * into ended;
  -- Among those that are looked at is the ended one itself: with another outcome it was for somebody.
  if ended.mail = 'review_answer' and ended.colleague is not null and not exists (
    select from private.desk_mails as m
    where m.interview_id = ended.interview_id and m.mail = 'review_answer' and m.created_at >= ended.created_at
      and m.state <> 'no_address'
  ) then perform private.add_answer_mail(ended.interview_id); end if;
  if ended.mail in ('new', 'review_answer') and outcome in ('sent', 'no_address') then return; end if;
  insert into private.desk_events (interview_id, what, before, after, text)
  values (ended.interview_id, 'mail', ended.mail, outcome, answer);
  update private.desk_items as d set changed_at = clock_timestamp() where d.interview_id = ended.interview_id;
end
$$;

revoke execute on function private.mailable_admins(), private.add_answer_mail(bigint) from public;
