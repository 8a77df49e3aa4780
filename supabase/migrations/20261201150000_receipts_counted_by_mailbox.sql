-- Receipts are counted by the mailbox: what stands behind '+' in an address, and the dots of one at Gmail, make as many
-- addresses of it as somebody likes, each of which got its receipts of a day.
create or replace function private.receiver_hash(address text) returns bytea
language sql stable set search_path = ''
as $$
  select sha256(convert_to(case
    when host ~ '@(gmail|googlemail)\.com$' then replace(name, '.', '') || '@gmail.com'
    else name || host
  end, 'UTF8'))
  from (
    select
      regexp_replace(lower(address), '(\+.*)?@[^@]*$', '') as name, substring(lower(address) from '@[^@]*$') as host
  ) as parts
$$;

-- Of what waits and of what was sent today.
update private.desk_mails as m set receiver_hash = private.receiver_hash(i.contact_email)
from public.interviews as i
where i.id = m.interview_id and m.mail = 'receipt'
  and m.receiver_hash = sha256(convert_to(lower(i.contact_email), 'UTF8'));
