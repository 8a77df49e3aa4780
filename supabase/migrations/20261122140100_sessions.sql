-- 'Konto': where the caller is signed in, and ending one of these sessions. Upstream has no such call, so these are
-- functions of the project, the same on the embedded server and on a hosted one.

-- They answer to a session that still lives, not to every token that has not run out. A session that has not shown an
-- existing second factor knows and ends only itself.
create function private.reachable_sessions() returns setof uuid
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

-- Last used first. The time zone is fixed because a hosted project keeps refreshed_at without one, in UTC.
create function public.my_sessions()
returns table (
  id uuid, created_at timestamptz, last_used_at timestamptz, user_agent text, address text, aal text, is_current boolean
)
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select
    s.id, s.created_at, coalesce(s.refreshed_at::timestamptz, s.created_at), s.user_agent, host(s.ip),
    coalesce(s.aal::text, 'aal1'), s.id = (auth.jwt() ->> 'session_id')::uuid
  from auth.sessions as s
  where s.id in (select private.reachable_sessions()) and (s.not_after is null or s.not_after > now())
  order by 3 desc, 1
$$;

-- Answers whether there was such a session; another account's session and none at all are the same answer.
create function public.end_session(session uuid) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  delete from auth.sessions where id = session and id in (select private.reachable_sessions());
  if not found then return false; end if;
  begin
    insert into auth.audit_log_entries (id, payload, created_at)
    values (gen_random_uuid(), json_build_object('action', 'logout', 'actor_id', auth.uid()), now());
  exception
    -- A hosted project lets nobody but its own service write there.
    when insufficient_privilege then null;
  end;
  return true;
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function public.my_sessions(), public.end_session(uuid) from public, anon;
grant execute on function public.my_sessions(), public.end_session(uuid) to authenticated;
