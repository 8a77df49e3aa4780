-- A mail to the team that went out while the clock was ahead starts no pause any more once the clock is right (decision
-- 0384): the mailbox got no other one until a pause after that time, days or months later.

-- When the mailbox may get its next mail, or null where that is now. Called under the mailbox's lock.
create or replace function private.desk_mail_pause_ends(box text) returns timestamptz
language sql volatile security definer set search_path = ''
as $$
  select max(m.told_at) + private.desk_mail_pause()
  from private.desk_mails as m
  where m.mail = 'new' and coalesce(m.address, m.colleague::text) = box
    and (m.state in ('sending', 'sent', 'unsure', 'refused') or (m.state = 'claimed' and m.due_at > clock_timestamp()))
    and m.told_at <= clock_timestamp() + interval '1 hour'
  having max(m.told_at) + private.desk_mail_pause() > clock_timestamp()
$$;
