-- The area of a contribution follows from the role of its owner, whatever a caller says (D2): a company's members work in
-- their own area. An admin may use every area and says which. Somebody with a link adds to the owner's contribution, so its
-- area is the owner's; without an owner it is the generic one (D4).

create function private.origin_area(contribution bigint, given text) returns text
language plpgsql volatile security definer set search_path = ''
as $$
declare
  caller constant uuid := private.member_id();
  holder uuid;
  role text;
begin
  select i.user_id into holder from public.interviews as i where i.id = contribution;
  select r.role into role from public.user_roles as r where r.user_id = holder;
  if role = 'admin' and holder = caller then return given; end if;
  return private.desk_area_of_role(role);
end
$$;

create or replace function private.on_origin_insert() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if row_security_active(tg_relid) then new.area := private.origin_area(new.interview_id, new.area); end if;
  return new;
end
$$;

revoke execute on function private.origin_area(bigint, text) from public, anon, authenticated, service_role;
-- The trigger runs with the caller's rights, because only there PostgreSQL says whether row-level security holds for it.
grant execute on function private.origin_area(bigint, text) to anon, authenticated;
