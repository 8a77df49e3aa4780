-- Where a contribution was begun: area, kind and topic. The browser writes it when a contribution starts. The first row
-- stays; without one, area and kind are derived.

create table public.contribution_origins (
  interview_id bigint primary key references public.interviews (id) on delete cascade,
  created_at timestamptz not null default now(),
  area text not null,
  -- Null where the flow alone does not say it: a local id tells its kind only for spoken contributions (§3).
  kind text,
  topic text,
  constraint contribution_origins_area_form check (area ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  constraint contribution_origins_kind_known check (
    kind in ('interview', 'voice_message', 'video', 'image', 'document', 'contributor')
  ),
  constraint contribution_origins_topic_form check (topic ~ '^[a-z0-9][a-z0-9-]{0,39}$')
);
alter table public.contribution_origins enable row level security;

revoke all on public.contribution_origins from anon, authenticated;
grant select, insert (interview_id, area, kind, topic) on public.contribution_origins to anon, authenticated;
grant all on public.contribution_origins to service_role;

create policy "a key reads its origin" on public.contribution_origins for select to anon
  using (interview_id = any (array(select private.my_interview_ids())));
create policy "members read their own or bound origins" on public.contribution_origins for select to authenticated
  using (interview_id in (select private.my_interview_ids()));
create policy "admins read all origins" on public.contribution_origins for select to authenticated
  using ((select private.is_admin()));
create policy "own or bound contributions tell their origin" on public.contribution_origins
  for insert to anon, authenticated
  with check (interview_id in (select private.my_interview_ids()));

-- The area an account of this role works in; every other account works in the generic one.
create function private.desk_area_of_role(role text) returns text
language sql immutable set search_path = ''
as $$
  select case when role is null or role in ('admin', 'vdi_admin') then 'generic' else replace(role, '_', '-') end
$$;

-- The area follows from the role of the contribution's owner, whatever a caller says (D2): a company's members work in
-- their own area. An admin may use every area and says which. A caller with a link adds to the owner's contribution, so
-- its area is the owner's; without an owner it is the generic one (D4).
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

create function private.on_origin_insert() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if row_security_active(tg_relid) then new.area := private.origin_area(new.interview_id, new.area); end if;
  return new;
end
$$;
create trigger on_origin_insert before insert on public.contribution_origins
  for each row execute function private.on_origin_insert();

revoke execute on all functions in schema private from public;
-- The trigger runs with the caller's rights, because only there PostgreSQL says whether row-level security holds for
-- it.
grant execute on function private.origin_area(bigint, text) to anon, authenticated;
