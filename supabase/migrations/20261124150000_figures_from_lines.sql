-- The figures of /admin from the desk's lines: a narrow row a contribution knows its account, its files and the newest of
-- them, so no file is read to count them. Weeks are spans of an index (decision 0320).

alter table private.desk_items
  -- As in interviews.
  add column user_id uuid,
  -- When the newest file was registered.
  add column latest_file timestamptz;

-- For the activity, which counts by kind without reading a row.
drop index private.desk_items_created_at_idx;
create index desk_items_created_at_idx on private.desk_items (created_at, interview_id) include (kind);

-- Lines ---------------------------------------------------------------------------------------------------------------

-- As before, with the account and the newest file, and without asking each file of a contribution for its kind whenever
-- another one comes.
drop function private.desk_facts(bigint[]);
create function private.desk_facts(ids bigint[])
returns table (
  interview_id bigint, origin_area text, role_area text, kind text, topic text, contributor text,
  created_at timestamptz, completed_at timestamptz, finished boolean, files integer,
  user_id uuid, latest_file timestamptz
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
    i.created_at, i.completed_at, i.contact_email is not null, coalesce(m.files, 0),
    i.user_id, m.latest
  from public.interviews as i
  left join public.contribution_origins as o on o.interview_id = i.id
  left join public.user_roles as r on r.user_id = i.user_id
  cross join lateral (
    select btrim(i.transcript) <> '' is true, btrim(i.transcript) <> '' is true or i.w_questions_answers is not null
  ) as said (transcript, something)
  cross join lateral (
    select sum(t.files)::integer as files,
      max(t.latest) as latest,
      coalesce(bool_or(t.kind = 'video'), false) as video,
      coalesce(bool_or(t.kind = 'image'), false) as image,
      coalesce(bool_or(t.kind = 'audio'), false) as audio,
      coalesce(bool_or(t.kind in ('document', 'text') and t.other), false) as document
    from (
      -- By type first: what a type means is asked once for all files of it, with each upload to this contribution again.
      select private.media_kind(u.file_type) as kind, count(*) as files, max(u.created_at) as latest,
        -- §3: an edited transcript is a text file too.
        bool_or(strpos(u.file_path, '/transcript_') = 0 or u.file_path !~ '/transcript_[0-9]+[^/]*\.txt$') as other
      from public.media_uploads as u where u.interview_id = i.id group by u.file_type
    ) as t
  ) as m
  where i.id = any (ids)
$$;

-- As before.
-- The lines first: two uploads at once must count each other, and a statement sees only what was there when it began.
create or replace function private.desk_refresh(ids bigint[]) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform from private.desk_items as d where d.interview_id = any (ids) order by d.interview_id for update;
  insert into private.desk_items as d (
    interview_id, area, kind, topic, contributor, created_at, changed_at, finished, files, user_id, latest_file
  )
  select f.interview_id,
    coalesce(f.origin_area, (select there.area from private.desk_items as there where there.interview_id = f.interview_id), f.role_area),
    f.kind, f.topic, f.contributor, f.created_at, greatest(f.created_at, f.completed_at), f.finished, f.files,
    f.user_id, f.latest_file
  from private.desk_facts(ids) as f
  on conflict (interview_id) do update set
    area = excluded.area, kind = excluded.kind, topic = excluded.topic, contributor = excluded.contributor,
    created_at = excluded.created_at, finished = excluded.finished, files = excluded.files, changed_at = clock_timestamp(),
    user_id = excluded.user_id, latest_file = excluded.latest_file;
end
$$;

update private.desk_items as d
set user_id = f.user_id, latest_file = f.latest_file
from (
  select i.id, i.user_id, max(m.created_at) as latest_file
  from public.interviews as i left join public.media_uploads as m on m.interview_id = i.id
  group by i.id
) as f
where f.id = d.interview_id and (f.user_id is not null or f.latest_file is not null);

-- Figures -------------------------------------------------------------------------------------------------------------

-- A line that is not up to date is worked out again, as long as it waits to be mended.
create or replace function public.admin_statistics()
returns table (role text, total_interviews bigint, total_media_uploads bigint, active_users bigint, users jsonb)
language plpgsql stable security definer set search_path = '' set jit = off
  set max_parallel_workers_per_gather = 0
as $$
begin
  if not private.is_admin() and auth.role() is distinct from 'service_role' then
    raise insufficient_privilege using message = 'permission denied for function admin_statistics';
  end if;
  return query
  with lines as (
    select d.user_id, d.files, d.created_at, d.latest_file
    from private.desk_items as d
    where d.user_id is not null and d.interview_id not in (select s.interview_id from private.desk_stale as s)
    union all
    select f.user_id, f.files, f.created_at, f.latest_file
    from private.desk_facts(array(select s.interview_id from private.desk_stale as s)) as f
    where f.user_id is not null
  ),
  counted as (
    select l.user_id, count(*) as interviews, sum(l.files) as uploads, max(greatest(l.created_at, l.latest_file)) as latest
    from lines as l group by 1
  ),
  people as (
    select r.role, r.user_id, coalesce(nullif(u.email, ''), 'Unbekannt') as user_email,
      coalesce(c.interviews, 0) as interviews_count, coalesce(c.uploads, 0) as media_uploads_count,
      c.latest as last_activity
    from public.user_roles as r
    join auth.users as u on u.id = r.user_id
    left join counted as c on c.user_id = r.user_id
  )
  select shown.role, coalesce(sum(p.interviews_count), 0)::bigint, coalesce(sum(p.media_uploads_count), 0)::bigint,
    count(*) filter (where p.interviews_count + p.media_uploads_count > 0),
    coalesce(
      jsonb_agg(to_jsonb(p) order by p.interviews_count + p.media_uploads_count desc, p.user_email)
        filter (where p.user_id is not null),
      '[]'
    )
  from unnest(array['firma_a', 'firma_b', 'testnormec', 'admin']) with ordinality as shown (role, place)
  left join people as p on case when p.role = 'vdi_admin' then 'admin' else p.role end = shown.role
  group by shown.role, shown.place
  order by shown.place;
end
$$;

create or replace function public.admin_activity(weeks integer default 12)
returns table (week date, kind text, total bigint)
language plpgsql stable security definer set search_path = '' set jit = off
  set max_parallel_workers_per_gather = 0
as $$
declare
  this_week timestamp := date_trunc('week', now() at time zone 'Europe/Berlin');
  starts timestamptz[];
begin
  if not private.is_admin() and auth.role() is distinct from 'service_role' then
    raise insufficient_privilege using message = 'permission denied for function admin_activity';
  end if;
  if weeks is null or weeks not between 1 and 104 then
    raise invalid_parameter_value using message = 'weeks must be between 1 and 104';
  end if;
  select array_agg((this_week - make_interval(weeks => back)) at time zone 'Europe/Berlin' order by back desc)
  into starts from generate_series(0, weeks - 1) as back;
  return query
  with spans as (
    select place, starts[place] as since, coalesce(starts[place + 1], 'infinity') as before
    from generate_series(1, weeks) as place
  ),
  counted as (
    -- One span of an index a week: nothing is computed for a row, and no row is read but in the index.
    select s.place, d.kind, d.counted
    from spans as s cross join lateral (
      select i.kind, count(*) as counted from private.desk_items as i
      where i.created_at >= s.since and i.created_at < s.before group by 1
    ) as d
    union all
    select s.place, 'file', (
      select count(*) from public.media_uploads as m where m.created_at >= s.since and m.created_at < s.before
    )
    from spans as s
  )
  select (s.since at time zone 'Europe/Berlin')::date, kinds.kind, coalesce(c.counted, 0)
  from spans as s
  cross join unnest(array['interview', 'voice_message', 'video', 'image', 'document', 'contributor', 'file'])
    with ordinality as kinds (kind, rank)
  left join counted as c on c.place = s.place and c.kind = kinds.kind
  order by s.place, kinds.rank;
end
$$;

revoke execute on all functions in schema private from public;
