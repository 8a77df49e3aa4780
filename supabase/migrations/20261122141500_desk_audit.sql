-- The audit log of the desk: every view, change, download, export and erasure. It outlives the people in it, so it
-- holds numbers and codes only: no name, no address, no text.

-- Keys are names; values are numbers, ids of accounts and states of the desk.
create function private.is_audit_detail(detail jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(bool_and(
    key ~ '^[a-z][A-Za-z_]{0,39}$' and case jsonb_typeof(value)
      when 'string' then value #>> '{}' in ('new', 'in_progress', 'for_review', 'published', 'rejected')
        or value #>> '{}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      else jsonb_typeof(value) in ('number', 'boolean', 'null')
    end
  ), true)
  from jsonb_each(detail)
$$;

create table public.desk_audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- An account's id; null where the server did it by itself.
  by uuid,
  -- Null where it was about more than one.
  interview_id bigint,
  what text not null,
  detail jsonb not null default '{}',
  constraint desk_audit_log_what_form check (what ~ '^[a-z][a-z_]{0,39}$'),
  constraint desk_audit_log_detail_form check (jsonb_typeof(detail) = 'object' and length(detail::text) <= 2000),
  constraint desk_audit_log_detail_coded check (private.is_audit_detail(detail)),
  constraint desk_audit_log_what_known check (what in (
    'archive', 'assignment', 'dossier', 'erasure', 'export', 'file', 'note', 'person', 'retention', 'state', 'view'
  ))
);
create index desk_audit_log_interview_id_idx on public.desk_audit_log (interview_id, id);
alter table public.desk_audit_log enable row level security;

-- Admins read it, functions write it with their owner's privileges, nothing changes it: not even the service, and the
-- owner only on purpose. Nor may a request role move its sequence on or back.
revoke all on public.desk_audit_log from anon, authenticated, service_role;
revoke all on sequence public.desk_audit_log_id_seq from public, anon, authenticated, service_role;
grant select on public.desk_audit_log to authenticated, service_role;
create policy "admins read the log" on public.desk_audit_log for select to authenticated
  using ((select private.is_admin()));

create function private.on_audit_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  raise insufficient_privilege using message = 'the audit log is never changed';
end
$$;
create trigger on_audit_change before update or delete or truncate on public.desk_audit_log
  for each statement execute function private.on_audit_change();

-- For admins, and for the server's own work, which has no account.
create function public.desk_audit(interview_id bigint, what text, detail jsonb default '{}') returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if auth.role() is distinct from 'service_role' then perform private.desk_admit('desk_audit'); end if;
  insert into public.desk_audit_log (by, interview_id, what, detail)
  values (auth.uid(), desk_audit.interview_id, desk_audit.what, coalesce(desk_audit.detail, '{}'));
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function public.desk_audit(bigint, text, jsonb) from public, anon;
grant execute on function public.desk_audit(bigint, text, jsonb) to authenticated, service_role;
