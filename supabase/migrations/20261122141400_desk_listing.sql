-- How the desk's listing follows the contributions. A trigger here can never make a contributor's request fail: an
-- error is noted in private.desk_stale and mended later.

-- Facts ---------------------------------------------------------------------------------------------------------------

-- What the listing must say of these contributions. The one definition: triggers and mending both use it.
create function private.desk_facts(ids bigint[])
returns table (
  interview_id bigint, origin_area text, role_area text, kind text, topic text, contributor text,
  created_at timestamptz, completed_at timestamptz, finished boolean, files integer
)
language sql stable rows 1 set search_path = ''
as $$
  select i.id, o.area, private.desk_area_of_role(r.role),
    case
      when o.kind is not null then o.kind
      -- An upload whose flow is not known by name: its files say what it is. A video or picture without a word is a contributor's.
      when o.interview_id is not null and m.document then 'document'
      when o.interview_id is not null and m.video and said.something then 'video'
      when o.interview_id is not null and m.image and said.something then 'image'
      -- What came before origins were kept.
      when starts_with(i.transcript, 'Interviewer:') or exists (select from public.interview_turns as t where t.interview_id = i.id)
        then 'interview'
      when said.transcript or m.audio then 'voice_message'
      when i.w_questions_answers is not null then case when m.video then 'video' else 'image' end
      when m.document then 'document'
      else 'contributor'
    end,
    o.topic,
    coalesce(nullif(btrim(concat_ws(' ', btrim(i.contact_first_name), btrim(i.contact_last_name))), ''), i.user_email, ''),
    i.created_at, i.completed_at, i.contact_email is not null, coalesce(m.files, 0)
  from public.interviews as i
  left join public.contribution_origins as o on o.interview_id = i.id
  left join public.user_roles as r on r.user_id = i.user_id
  cross join lateral (
    select btrim(i.transcript) <> '' is true, btrim(i.transcript) <> '' is true or i.w_questions_answers is not null
  ) as said (transcript, something)
  cross join lateral (
    select count(*)::integer as files,
      coalesce(bool_or(u.kind = 'video'), false) as video,
      coalesce(bool_or(u.kind = 'image'), false) as image,
      coalesce(bool_or(u.kind = 'audio'), false) as audio,
      -- §3: an edited transcript is a text file too.
      coalesce(bool_or(u.kind in ('document', 'text') and u.file_path !~ '/transcript_[0-9]+[^/]*\.txt$'), false) as document
    from (
      select private.media_kind(file_type) as kind, file_path from public.media_uploads where interview_id = i.id
    ) as u
  ) as m
  where i.id = any (ids)
$$;

-- Upkeep --------------------------------------------------------------------------------------------------------------

-- The lines first: two uploads at once must count each other, and a statement sees only what was there when it began.
create function private.desk_refresh(ids bigint[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform from private.desk_items as d where d.interview_id = any (ids) order by d.interview_id for update;
  insert into private.desk_items as d (interview_id, area, kind, topic, contributor, created_at, changed_at, finished, files)
  select f.interview_id,
    coalesce(f.origin_area, (select there.area from private.desk_items as there where there.interview_id = f.interview_id), f.role_area),
    f.kind, f.topic, f.contributor, f.created_at, greatest(f.created_at, f.completed_at), f.finished, f.files
  from private.desk_facts(ids) as f
  on conflict (interview_id) do update set
    area = excluded.area, kind = excluded.kind, topic = excluded.topic, contributor = excluded.contributor,
    created_at = excluded.created_at, finished = excluded.finished, files = excluded.files, changed_at = clock_timestamp();
end
$$;

create function private.desk_mark_stale(ids bigint[], state text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  raise warning 'desk: % lines are not up to date (%)', cardinality(ids), state;
  insert into private.desk_stale (interview_id, cause) select id, state from unnest(ids) as id on conflict do nothing;
exception when others then
  null;
end
$$;

-- Brings up to date what a trigger could not.
create function private.desk_mend() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  id bigint;
begin
  for id in select s.interview_id from private.desk_stale as s order by s.at limit 20 for update skip locked loop
    begin
      perform private.desk_refresh(array[id]);
      perform private.desk_index(array[id]);
      delete from private.desk_stale as s where s.interview_id = id;
    exception when others then
      update private.desk_stale as s set at = clock_timestamp(), cause = sqlstate where s.interview_id = id;
    end;
  end loop;
end
$$;

-- Triggers ------------------------------------------------------------------------------------------------------------

create function private.on_desk_contribution_insert() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  ids bigint[] := array(select id from touched);
begin
  perform private.desk_refresh(ids);
  perform private.desk_index(ids);
  return null;
exception when others then
  perform private.desk_mark_stale(ids, sqlstate);
  return null;
end
$$;

create function private.on_desk_contribution_update() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.desk_refresh(array[new.id]);
  if (old.transcript, old.w_questions_answers, old.contact_first_name, old.contact_last_name, old.contact_email, old.user_email)
    is distinct from
    (new.transcript, new.w_questions_answers, new.contact_first_name, new.contact_last_name, new.contact_email, new.user_email)
  then
    perform private.desk_index(array[new.id]);
  end if;
  return null;
exception when others then
  perform private.desk_mark_stale(array[new.id], sqlstate);
  return null;
end
$$;

-- For everything that belongs to a contribution.
create function private.on_desk_attached() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  ids bigint[] := array(select distinct interview_id from touched);
begin
  perform private.desk_refresh(ids);
  return null;
exception when others then
  perform private.desk_mark_stale(ids, sqlstate);
  return null;
end
$$;

-- A turn says something new only of a contribution whose kind is not known from its origin.
create function private.on_desk_turns() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  ids bigint[] := array(
    select distinct t.interview_id from touched as t
    where not exists (
      select from public.contribution_origins as o where o.interview_id = t.interview_id and o.kind is not null
    )
  );
begin
  if cardinality(ids) > 0 then perform private.desk_refresh(ids); end if;
  return null;
exception when others then
  perform private.desk_mark_stale(ids, sqlstate);
  return null;
end
$$;

create function private.on_desk_item_delete() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.desk_removals default values;
  return null;
end
$$;

create trigger on_desk_contribution_insert after insert on public.interviews
  referencing new table as touched for each statement execute function private.on_desk_contribution_insert();
create trigger on_desk_contribution_update after update on public.interviews
  for each row when (old is distinct from new) execute function private.on_desk_contribution_update();
create trigger on_desk_origin after insert on public.contribution_origins
  referencing new table as touched for each statement execute function private.on_desk_attached();
create trigger on_desk_origin_update after update on public.contribution_origins
  referencing new table as touched for each statement execute function private.on_desk_attached();
create trigger on_desk_upload_insert after insert on public.media_uploads
  referencing new table as touched for each statement execute function private.on_desk_attached();
create trigger on_desk_upload_update after update on public.media_uploads
  referencing new table as touched for each statement execute function private.on_desk_attached();
create trigger on_desk_upload_delete after delete on public.media_uploads
  referencing old table as touched for each statement execute function private.on_desk_attached();
create trigger on_desk_turns_insert after insert on public.interview_turns
  referencing new table as touched for each statement execute function private.on_desk_turns();
create trigger on_desk_turns_delete after delete on public.interview_turns
  referencing old table as touched for each statement execute function private.on_desk_turns();
create trigger on_desk_item_delete after delete on private.desk_items
  for each statement execute function private.on_desk_item_delete();

revoke execute on all functions in schema private from public;
