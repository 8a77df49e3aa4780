-- The contact details of a member's contribution are the member's: they say where the post goes, and they close the
-- contribution. A link hands on the right to add files (D9), so a key alone does not write them.

create function private.on_contact_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if row_security_active(tg_relid) and old.user_id is distinct from private.member_id() then
    raise insufficient_privilege using message = 'contact details: another member''s contribution';
  end if;
  return new;
end
$$;
create trigger on_contact_change before update of contact_first_name, contact_last_name, contact_email
  on public.interviews for each row
  when (
    old.user_id is not null
    and (old.contact_first_name, old.contact_last_name, old.contact_email)
      is distinct from (new.contact_first_name, new.contact_last_name, new.contact_email)
  )
  execute function private.on_contact_change();
revoke execute on function private.on_contact_change() from public;
