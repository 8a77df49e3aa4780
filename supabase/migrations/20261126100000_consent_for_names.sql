-- Names are contact details as well: they need consent like the address. Before, a call that wrote names alone was taken
-- without.
create or replace function private.check_consent() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if coalesce(new.contact_first_name, new.contact_last_name, new.contact_email) is not null
    and auth.role() in ('anon', 'authenticated')
    and exists (select from private.consent_texts where required)
    and not exists (select from private.consents where interview_id = new.id)
  then
    raise sqlstate 'PT422' using message = 'consent is needed';
  end if;
  return new;
end
$$;
create or replace trigger on_contact_needs_consent
  before insert or update of contact_first_name, contact_last_name, contact_email on public.interviews
  for each row execute function private.check_consent();
