-- Accounts and their roles: a login whose account has a role is a member, and one role is the admin's.
--
-- All these files also run on a hosted project: they need no superuser, and of auth and storage they touch rows and
-- policies only.

-- Not among the schemas that the API exposes.
create schema private;
grant usage on schema private to anon, authenticated, service_role;

-- What the operator decided. Policies read it, so a change counts from the next statement on.
create table private.settings (
  name text primary key,
  value jsonb not null
);
alter table private.settings enable row level security;
revoke all on private.settings from public, anon, authenticated;

create table public.user_roles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  role text not null,
  constraint user_roles_role_known check (role in ('firma_a', 'firma_b', 'testnormec', 'admin', 'vdi_admin'))
);
alter table public.user_roles enable row level security;

-- Authority -----------------------------------------------------------------------------------------------------------
--
-- An access token outlives its session by up to an hour. Rights follow the session and the account instead: a lock, a
-- logout, a new password and a removed role count for the next statement (decision 0140).
--
-- In PL/pgSQL, which keeps the plans of its queries; a SQL function is planned anew at each call, and every policy
-- calls these.

-- The caller's user id while the account is not locked and the session lives. A token without a session was signed with
-- the operator's key, not at a login: no session can end, but the lock of its account counts.
create function private.signed_in_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  caller constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
begin
  perform
  from auth.users as u
  left join auth.sessions as s on s.id = session and s.user_id = u.id and (s.not_after is null or s.not_after > now())
  where u.id = caller
    and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= now())
    and (session is null or s.id is not null);
  return case when found then caller end;
end
$$;

-- The same, if the account has a role and the session has shown the second factor that is required: of an account that
-- has a verified one, and of the roles in the settings (decision 0141). Token and session must both say it: a token
-- from before the factor was shown does not rise with its session, and one from before the factor was removed falls
-- with it.
create function private.member_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  claims constant jsonb := auth.jwt();
  caller constant uuid := claims ->> 'sub';
  session constant uuid := claims ->> 'session_id';
  login record;
begin
  if caller is null then return null; end if;
  -- As signed_in_id(), and in the same query the rest: every policy asks for this. Scalar subqueries cost less than joins.
  select
    (select r.role from public.user_roles as r where r.user_id = u.id) as role,
    (
      select coalesce(s.aal, 'aal1') from auth.sessions as s
      where s.id = session and s.user_id = u.id and (s.not_after is null or s.not_after > now())
    ) as aal,
    exists (select from auth.mfa_factors as f where f.user_id = u.id and f.status = 'verified') as has_factor
  into login
  from auth.users as u
  where u.id = caller and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now());
  if login.role is null or (session is not null and login.aal is null) then return null; end if;
  if claims ->> 'aal' in ('aal2', 'aal3') and (session is null or login.aal >= 'aal2') then return caller; end if;
  if login.has_factor then return null; end if;
  perform from private.settings as s where s.name = 'second_factor_roles' and s.value ? login.role;
  return case when not found then caller end;
end
$$;

create function private.is_admin() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform from public.user_roles as r where r.user_id = private.member_id() and r.role = 'admin';
  return found;
end
$$;

-- The second factor ---------------------------------------------------------------------------------------------------

-- Roles that require a second factor; a login of such a role that has shown none has no more rights than one without a
-- role.
insert into private.settings (name, value) values ('second_factor_roles', '[]') on conflict do nothing;

-- For the operator: the embedded server calls it at its start (MFA_REQUIRED_ROLES), on a hosted project it is called by
-- hand.
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

-- Whether the caller has a role, and no rights until this session has shown a second factor.
create function public.second_factor_missing() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.user_roles where user_id = private.signed_in_id()) and private.member_id() is null
$$;

-- Rights --------------------------------------------------------------------------------------------------------------

-- Upstream's default privileges grant everything in public to every request role, so each file revokes before it
-- grants.
revoke all on public.user_roles from anon, authenticated;
grant select on public.user_roles to authenticated;
grant all on public.user_roles to service_role;

-- The own role asks for a living session alone, because the way to the second factor begins with it.
create policy "admins read all roles" on public.user_roles for select to authenticated
  using ((select private.is_admin()));
create policy "everybody reads the own role" on public.user_roles for select to authenticated
  using (user_id = (select private.signed_in_id()));

revoke execute on all functions in schema private from public;
grant execute on function private.member_id(), private.is_admin() to anon, authenticated;
grant execute on function private.signed_in_id() to authenticated;
revoke execute on function public.second_factor_missing() from public, anon;
grant execute on function public.second_factor_missing() to authenticated;
