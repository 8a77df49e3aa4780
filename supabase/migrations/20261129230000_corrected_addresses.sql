-- An administrator may correct the address of a contribution. Before, a mistyped one stayed: reviews, with the
-- material in them, went on to somebody else's mailbox.

alter table private.desk_events drop constraint desk_events_what_known;
alter table private.desk_events add constraint desk_events_what_known
  check (what in ('state', 'assignment', 'note', 'mail', 'address'));

alter table public.desk_audit_log drop constraint desk_audit_log_what_known;
alter table public.desk_audit_log add constraint desk_audit_log_what_known check (what in (
  'address', 'archive', 'assignment', 'dossier', 'erasure', 'export', 'file', 'image_rights', 'note', 'person', 'post',
  'post_state', 'retention', 'review_link', 'state', 'view'
));

-- As before, and an address.
create or replace function private.desk_check_change(change jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  state text := change ->> 'state';
begin
  if jsonb_typeof(change) is distinct from 'object' then perform private.desk_refuse('change: no object'); end if;
  if change ? 'note' then
    if change - 'note' <> '{}' or jsonb_typeof(change -> 'note') <> 'string'
      or btrim(change ->> 'note', E' \t\r\n') = '' or length(change ->> 'note') > 10000 then
      perform private.desk_refuse('change: note');
    end if;
    return 'note';
  end if;
  if change ? 'assignee' then
    if change - 'assignee' <> '{}'
      or (change ->> 'assignee') !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then
      perform private.desk_refuse('change: assignee');
    end if;
    return 'assignment';
  end if;
  if change ? 'email' then
    if change - 'email' <> '{}' or jsonb_typeof(change -> 'email') <> 'string' then
      perform private.desk_refuse('change: email');
    end if;
    return 'address';
  end if;
  if change - array['state', 'text', 'url'] <> '{}' or jsonb_typeof(change -> 'state') is distinct from 'string'
    or state not in ('new', 'in_progress', 'for_review', 'published', 'rejected') then
    perform private.desk_refuse('change: state');
  end if;
  if change ? 'text' and (state <> 'for_review' or jsonb_typeof(change -> 'text') <> 'string'
    or length(change ->> 'text') > 10000) then
    perform private.desk_refuse('change: text');
  end if;
  if change ? 'url' and state <> 'published' then perform private.desk_refuse('change: url'); end if;
  if state = 'published' and (jsonb_typeof(change -> 'url') is distinct from 'string'
    or length(change ->> 'url') > 2000 or (change ->> 'url') !~* '^https?://[^\s/?#<>"]+[^\s<>"]*$') then
    perform private.desk_refuse('change: url');
  end if;
  return 'state';
end
$$;

-- The earlier address is kept nowhere: it may be a stranger's. Its link ends, and a review that waits for an answer is
-- sent to the new one. A mail that a server is about to send is taken back: that server has the earlier address.
create function private.desk_correct_address(item private.desk_items, change jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  earlier text := (select i.contact_email from public.interviews as i where i.id = item.interview_id);
begin
  if earlier is null then perform private.desk_refuse('change: email'); end if;
  if earlier = change ->> 'email' then return; end if;
  update public.interviews as i set contact_email = change ->> 'email' where i.id = item.interview_id;
  perform private.revoke_review_link(item.interview_id);
  delete from private.desk_mails as m
  where m.interview_id = item.interview_id and m.state in ('waiting', 'claimed') and m.mail = 'review_reminder';
  update private.desk_mails as m set state = 'waiting', claim = null, due_at = clock_timestamp()
  where m.interview_id = item.interview_id and m.state = 'claimed' and m.mail not in ('new', 'review_answer');
  if private.desk_mail_team() is not null and exists (
    select from public.posts as p where p.interview_id = item.interview_id and p.state = 'in_review'
  ) then perform private.queue_review_mail(item.interview_id, auth.uid()); end if;
  update private.desk_items as d set version = d.version + 1, changed_at = clock_timestamp()
  where d.interview_id = item.interview_id;
  insert into private.desk_events (interview_id, by, what) values (item.interview_id, auth.uid(), 'address');
  perform public.desk_audit(item.interview_id, 'address');
end
$$;

-- As before, and an address.
create or replace function public.desk_change(id bigint, version integer, change jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  item private.desk_items;
  what text;
begin
  perform private.desk_admit('desk_change');
  what := private.desk_check_change(change);
  -- In the order of a contributor who saves contact details: neither waits for the other.
  if what = 'address' then perform from public.interviews as i where i.id = desk_change.id for no key update; end if;
  select * into item from private.desk_items as d where d.interview_id = desk_change.id for update;
  if not found then raise sqlstate 'PT404' using message = 'no such contribution'; end if;
  if what <> 'note' and item.version is distinct from desk_change.version then
    raise sqlstate 'PT409' using message = 'the contribution was changed meanwhile';
  end if;
  case what
    when 'note' then perform private.desk_note(item, change);
    when 'assignment' then perform private.desk_assign(item, change);
    when 'address' then perform private.desk_correct_address(item, change);
    else perform private.desk_move(item, change);
  end case;
  return private.desk_whole(id);
end
$$;

-- As before. An administrator who corrects an address consents to nothing for somebody else.
create or replace function private.check_consent() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if coalesce(new.contact_first_name, new.contact_last_name, new.contact_email) is not null
    and auth.role() in ('anon', 'authenticated')
    and not (tg_op = 'UPDATE' and old.contact_email is not null and private.is_admin())
    and exists (select from private.consent_texts where required)
    and not exists (select from private.consents where interview_id = new.id)
  then
    raise sqlstate 'PT422' using message = 'consent is needed';
  end if;
  return new;
end
$$;

revoke execute on function private.desk_correct_address(private.desk_items, jsonb) from public;
