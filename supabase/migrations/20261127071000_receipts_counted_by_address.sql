-- How many receipts an address got is counted by the address they were meant for. Before, they were counted by today's
-- address of their contributions, which a guest may change: with another one in between, or with one's own until just
-- before the mail is sent, an address got as many as somebody liked.

-- Of a receipt: whom it is for, so that a later change of the address changes neither count nor receiver. A hash, since
-- to compare is all it is for; it goes with the contribution.
alter table private.desk_mails add column receiver_hash bytea;
create index desk_mails_receiver_idx on private.desk_mails (receiver_hash, created_at) where receiver_hash is not null;

create function private.receiver_hash(address text) returns bytea
language sql stable set search_path = ''
as $$
  select sha256(convert_to(lower(address), 'UTF8'))
$$;

-- Of those that are there already today's address is the only one known.
update private.desk_mails as m set receiver_hash = private.receiver_hash(i.contact_email)
from public.interviews as i where i.id = m.interview_id and m.mail = 'receipt';

-- As before, counted by the hash.
create or replace function private.on_desk_receipt() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  per_day integer := (
    select (nullif(value, 'null'::jsonb) #>> '{}')::integer from private.settings where name = 'receipt_mails'
  );
  receiver bytea := (
    select private.receiver_hash(i.contact_email) from public.interviews as i where i.id = new.interview_id
  );
begin
  if per_day is null or receiver is null or private.desk_mail_team() is null
    or exists (select from private.desk_mails as m where m.key = format('receipt:%s', new.interview_id)) then
    return null;
  end if;
  -- Contributions that are completed at the same moment count each other.
  perform pg_advisory_xact_lock(hashtextextended('receipt:' || encode(receiver, 'hex'), 0));
  if (
    select count(*) from private.desk_mails as m
    where m.receiver_hash = receiver and m.created_at > now() - interval '1 day'
  ) >= per_day then
    insert into private.desk_events (interview_id, what, before, after)
    values (new.interview_id, 'mail', 'receipt', 'limited');
    return null;
  end if;
  insert into private.desk_mails (key, interview_id, mail, receiver_hash)
  values (format('receipt:%s', new.interview_id), new.interview_id, 'receipt', receiver)
  on conflict (key) do nothing;
  return null;
end
$$;

-- As before, but of colleagues' addresses only those of mailable administrators, and a receipt goes to the address it
-- was counted for, or to none.
create or replace function private.desk_mail_address(mail private.desk_mails) returns text
language sql stable security definer set search_path = ''
as $$
  select nullif(case
    when mail.address is not null then mail.address
    when mail.colleague is not null then (
      select a.email from private.mailable_admins() as a where a.user_id = mail.colleague
    )
    when mail.mail = 'receipt' then (
      select i.contact_email from public.interviews as i
      where i.id = mail.interview_id and private.receiver_hash(i.contact_email) = mail.receiver_hash
    )
    when mail.mail <> 'new' then (
      select coalesce(i.contact_email, i.user_email) from public.interviews as i where i.id = mail.interview_id
    )
  end, '')
$$;

revoke execute on function private.receiver_hash(text) from public;
