-- A role can be told to require a second factor: then a login that has shown none counts as a login without a role. Which
-- roles these are is a setting, so that every policy built on member_id() and is_admin() follows it at once.
insert into private.settings (name, value) values ('second_factor_roles', '[]') on conflict do nothing;

-- For the operator: the embedded server calls it at its start (MFA_REQUIRED_ROLES), on a hosted backend it is run by hand.
create function private.require_second_factor(roles text[]) returns void
language plpgsql set search_path = ''
as $$
begin
  if not roles <@ array['firma_a', 'firma_b', 'testnormec', 'admin', 'vdi_admin'] then
    raise invalid_parameter_value using message = format('no such role among %s', roles);
  end if;
  insert into private.settings values ('second_factor_roles', to_jsonb(roles))
  on conflict on constraint settings_pkey do update set value = excluded.value;
end
$$;

create function private.lacks_second_factor(role text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(auth.jwt() ->> 'aal', 'aal1') not in ('aal2', 'aal3')
    and exists (select from private.settings where name = 'second_factor_roles' and value ? role)
$$;

-- The caller's user id, if the account has a role, and has shown what the role requires.
create or replace function private.member_id() returns uuid
language sql stable security definer set search_path = ''
as $$
  select user_id from public.user_roles where user_id = auth.uid() and not private.lacks_second_factor(role)
$$;

create or replace function private.is_admin() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.user_roles
    where user_id = auth.uid() and role = 'admin' and not private.lacks_second_factor(role)
  )
$$;

-- Whether the caller's role requires a second factor that this session has not shown.
create function public.second_factor_missing() returns boolean
language sql stable security definer set search_path = ''
as $$
  select coalesce(bool_or(private.lacks_second_factor(role)), false) from public.user_roles where user_id = auth.uid()
$$;

revoke execute on function private.require_second_factor(text[]), private.lacks_second_factor(text) from public;
revoke execute on function public.second_factor_missing() from public, anon;
grant execute on function public.second_factor_missing() to authenticated;
