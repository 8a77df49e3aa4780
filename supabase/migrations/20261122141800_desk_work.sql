-- One contribution at the desk: looking at it, changing its state, assigning it, noting something; each with who and
-- when.

-- Looking -------------------------------------------------------------------------------------------------------------

create function private.desk_events_of(id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', e.id, 'at', e.at, 'by', coalesce(who.email, ''), 'what', e.what,
    -- Accounts are kept by their ids and shown by their addresses, as long as they are there.
    'from', case when e.what = 'assignment' and e.before is not null then coalesce(earlier.email, '') else e.before end,
    'to', case when e.what = 'assignment' and e.after is not null then coalesce(later.email, '') else e.after end,
    'text', e.text
  ) order by e.id desc), '[]')
  from private.desk_events as e
  left join auth.users as who on who.id = e.by
  left join auth.users as earlier on e.what = 'assignment' and earlier.id::text = e.before
  left join auth.users as later on e.what = 'assignment' and later.id::text = e.after
  where e.interview_id = $1
$$;

create function private.desk_files_of(id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', m.id, 'path', m.file_path, 'type', m.file_type, 'createdAt', m.created_at,
    'size', (o.metadata ->> 'size')::bigint
  ) order by m.id), '[]')
  from public.media_uploads as m
  left join storage.objects as o on o.bucket_id = 'Media' and o.name = m.file_path
  where m.interview_id = $1
$$;

create function private.desk_turns_of(id bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'conversation', t.conversation_id, 'position', t.position, 'speaker', t.speaker, 'content', t.content, 'at', t.created_at
  ) order by t.started, t.conversation_id, t.position), '[]')
  from (
    select *, min(created_at) over (partition by conversation_id) as started
    from public.interview_turns where interview_id = $1
  ) as t
$$;

-- Everything about one contribution; null where there is none.
create function private.desk_whole(id bigint) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select (private.desk_lines(array[$1], null) -> 0) || jsonb_build_object(
    'transcript', i.transcript, 'answers', i.w_questions_answers,
    'firstName', i.contact_first_name, 'lastName', i.contact_last_name,
    'completedAt', i.completed_at, 'publishedUrl', d.published_url,
    'fileList', private.desk_files_of($1), 'turns', private.desk_turns_of($1), 'events', private.desk_events_of($1)
  )
  from public.interviews as i join private.desk_items as d on d.interview_id = i.id
  where i.id = $1
$$;

create function public.desk_contribution(id bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  whole jsonb;
begin
  perform private.desk_admit('desk_contribution');
  whole := private.desk_whole(id);
  if whole is null then raise sqlstate 'PT404' using message = 'no such contribution'; end if;
  perform public.desk_audit(id, 'view');
  return whole;
end
$$;

-- Changing ------------------------------------------------------------------------------------------------------------

-- What a change may look like: one thing at a time, nothing unknown, texts within their ceilings.
create function private.desk_check_change(change jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  state text := change ->> 'state';
begin
  if jsonb_typeof(change) is distinct from 'object' then perform private.desk_refuse('change: no object'); end if;
  if change ? 'note' then
    if change - 'note' <> '{}' or jsonb_typeof(change -> 'note') <> 'string' or btrim(change ->> 'note', E' \t\r\n') = ''
      or length(change ->> 'note') > 10000 then perform private.desk_refuse('change: note'); end if;
    return 'note';
  end if;
  if change ? 'assignee' then
    if change - 'assignee' <> '{}' or (change ->> 'assignee') !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then
      perform private.desk_refuse('change: assignee');
    end if;
    return 'assignment';
  end if;
  if change - array['state', 'text', 'url'] <> '{}' or jsonb_typeof(change -> 'state') is distinct from 'string'
    or state not in ('new', 'in_progress', 'for_review', 'published', 'rejected') then perform private.desk_refuse('change: state'); end if;
  if change ? 'text' and (state <> 'for_review' or jsonb_typeof(change -> 'text') <> 'string' or length(change ->> 'text') > 10000) then
    perform private.desk_refuse('change: text');
  end if;
  if change ? 'url' and state <> 'published' then perform private.desk_refuse('change: url'); end if;
  if state = 'published' and (jsonb_typeof(change -> 'url') is distinct from 'string' or length(change ->> 'url') > 2000
    or (change ->> 'url') !~* '^https?://[^\s/?#<>"]+[^\s<>"]*$') then perform private.desk_refuse('change: url'); end if;
  return 'state';
end
$$;

create function private.desk_note(item private.desk_items, change jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into private.desk_events (interview_id, by, what, text) values (item.interview_id, auth.uid(), 'note', change ->> 'note');
  update private.desk_items set changed_at = clock_timestamp() where interview_id = item.interview_id;
  perform public.desk_audit(item.interview_id, 'note');
end
$$;

create function private.desk_assign(item private.desk_items, change jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  colleague uuid := (change ->> 'assignee')::uuid;
begin
  if colleague is not distinct from item.assignee then return; end if;
  if colleague is not null and not exists (select from public.user_roles where user_id = colleague and role = 'admin') then
    perform private.desk_refuse('change: assignee');
  end if;
  update private.desk_items set assignee = colleague, version = version + 1, changed_at = clock_timestamp()
  where interview_id = item.interview_id;
  insert into private.desk_events (interview_id, by, what, before, after)
  values (item.interview_id, auth.uid(), 'assignment', item.assignee, colleague);
  perform public.desk_audit(item.interview_id, 'assignment', jsonb_build_object('from', item.assignee, 'to', colleague));
end
$$;

-- A link stays until another one takes its place: a published contribution can be found again.
create function private.desk_move(item private.desk_items, change jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted text := change ->> 'state';
  link text := change ->> 'url';
begin
  -- The same again changes nothing, unless it brings another text or link.
  if wanted = item.state and not change ? 'text' and (link is null or link = item.published_url) then return; end if;
  update private.desk_items as d set state = wanted, published_url = coalesce(link, d.published_url), version = d.version + 1,
    changed_at = clock_timestamp()
  where d.interview_id = item.interview_id;
  insert into private.desk_events (interview_id, by, what, before, after, text)
  values (item.interview_id, auth.uid(), 'state', item.state, wanted, coalesce(link, nullif(btrim(change ->> 'text'), '')));
  perform public.desk_audit(item.interview_id, 'state', jsonb_build_object('from', item.state, 'to', wanted));
end
$$;

-- State and assignment need the version the caller saw; a note overwrites nothing.
create function public.desk_change(id bigint, version integer, change jsonb) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  item private.desk_items;
  what text;
begin
  perform private.desk_admit('desk_change');
  what := private.desk_check_change(change);
  select * into item from private.desk_items as d where d.interview_id = desk_change.id for update;
  if not found then raise sqlstate 'PT404' using message = 'no such contribution'; end if;
  if what <> 'note' and item.version is distinct from desk_change.version then
    raise sqlstate 'PT409' using message = 'the contribution was changed meanwhile';
  end if;
  case what
    when 'note' then perform private.desk_note(item, change);
    when 'assignment' then perform private.desk_assign(item, change);
    else perform private.desk_move(item, change);
  end case;
  return private.desk_whole(id);
end
$$;

-- Around it -----------------------------------------------------------------------------------------------------------

create function public.desk_colleagues() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_colleagues');
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'email', coalesce(u.email, '')) order by u.email, u.id), '[]')
    from public.user_roles as r join auth.users as u on u.id = r.user_id where r.role = 'admin'
  );
end
$$;

-- A token that differs after any change of the list. Made of rows, not of a counter: a change that commits late still
-- changes it. Mends on the way what a trigger could not do.
create function public.desk_pulse() returns text
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_pulse');
  if exists (select from private.desk_stale) then perform private.desk_mend(); end if;
  delete from private.desk_removals where at < now() - interval '1 hour';
  return (
    select md5(concat(
      (select string_agg(concat_ws(',', d.interview_id, d.changed_at), ';') from (
        select interview_id, changed_at from private.desk_items order by changed_at desc, interview_id desc limit 200
      ) as d),
      (select concat_ws(',', count(*), max(r.id)) from private.desk_removals as r)
    ))
  );
end
$$;

-- Which of the contributions in the caller's list are no longer there. A list asks when desk_pulse() says that
-- something has changed; a line costs one look into an index, however many contributions there are.
create function public.desk_gone(ids bigint[]) returns bigint[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_gone');
  if cardinality(ids) > 10000 then perform private.desk_refuse('ids: more than 10000'); end if;
  return array(
    select shown.id from unnest(ids) as shown (id)
    where not exists (select from private.desk_items as d where d.interview_id = shown.id)
  );
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function
  public.desk_contribution(bigint), public.desk_change(bigint, integer, jsonb), public.desk_colleagues(),
  public.desk_pulse(), public.desk_gone(bigint[])
  from public, anon;
grant execute on function
  public.desk_contribution(bigint), public.desk_change(bigint, integer, jsonb), public.desk_colleagues(),
  public.desk_pulse(), public.desk_gone(bigint[])
  to authenticated;
