-- An access token outlives the session it came from by up to an hour. Rights follow the session and the account instead: a
-- lock, a logout, a new password set elsewhere and a removed role count for the next statement (decision 0140).
--
-- PL/pgSQL keeps the plans of these functions, where a SQL function is planned anew at each call. With that the question
-- costs what the functions cost before (npm run bench, 'cost of asking for a living session').

-- The caller's user id while the account is not locked and the session lives. A token that names no session was signed with
-- the operator's key, not at a login: it has no session that could end, but the lock of its account counts.
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

-- The same, if the account has a role and the session has shown the second factor that is asked of it: of an account that has
-- a verified one, and of the roles in the settings (decision 0141). The level is what both token and session say: a token from
-- before the factor was shown does not rise with its session, and one from before the factor was removed falls with it.
create or replace function private.member_id() returns uuid
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

create or replace function private.is_admin() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform from public.user_roles as r where r.user_id = private.member_id() and r.role = 'admin';
  return found;
end
$$;

-- Whether the caller has a role, and no rights until this session has shown a second factor.
create or replace function public.second_factor_missing() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.user_roles where user_id = private.signed_in_id()) and private.member_id() is null
$$;
drop function private.lacks_second_factor(text);

-- The way to the second factor begins with the own role, so this asks for a living session alone.
drop policy "everybody reads the own role" on public.user_roles;
create policy "everybody reads the own role" on public.user_roles for select to authenticated
  using (user_id = (select private.signed_in_id()));

create or replace function private.reachable_sessions() returns setof uuid
language sql stable security definer set search_path = ''
as $$
  select other.id
  from auth.sessions as mine
  join auth.sessions as other on other.user_id = mine.user_id
  where mine.id = (auth.jwt() ->> 'session_id')::uuid
    and mine.user_id = private.signed_in_id()
    and (
      other.id = mine.id
      or (mine.aal >= 'aal2' and auth.jwt() ->> 'aal' in ('aal2', 'aal3'))
      or not exists (select from auth.mfa_factors where user_id = mine.user_id and status = 'verified')
    )
$$;

revoke execute on function private.signed_in_id() from public, anon, authenticated, service_role;
grant execute on function private.signed_in_id() to authenticated;
