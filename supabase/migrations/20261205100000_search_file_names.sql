-- The desk's search also finds what contributors call their files.

-- As before, with the names of files, which are searched behind however long a text.
create or replace function private.desk_index(ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.desk_search (interview_id, area, kind, finished, state, assignee, created_at, words)
  select i.id, d.area, d.kind, d.finished, d.state, d.assignee, d.created_at,
    private.desk_words(concat_ws(E'\n', i.transcript, private.desk_answers(i.w_questions_answers), (
      select string_agg(v.body, E'\n' order by p.id)
      from public.posts as p join public.post_versions as v on v.post_id = p.id and v.version = p.version
      where p.interview_id = i.id
    ), (
      select string_agg(e.text, E'\n' order by e.id)
      from private.desk_events as e
      where e.interview_id = i.id and e.what = 'note'
    )))
    || private.desk_words(coalesce((
      select string_agg(m.original_name, E'\n' order by m.id) from public.media_uploads as m where m.interview_id = i.id
    ), ''))
    || to_tsvector('pg_catalog.german', names.all) || to_tsvector('pg_catalog.simple', names.all)
    || case
      when private.desk_unmarked(names.all) = names.all then ''
      else to_tsvector('pg_catalog.german', private.desk_unmarked(names.all))
        || to_tsvector('pg_catalog.simple', private.desk_unmarked(names.all))
    end
  from public.interviews as i
  join private.desk_items as d on d.interview_id = i.id
  cross join lateral (
    select private.desk_plain(concat_ws(' ', i.contact_first_name, i.contact_last_name, i.contact_email, i.user_email))
  ) as names ("all")
  where i.id = any (ids)
  on conflict (interview_id) do update set words = excluded.words
$$;

-- By its name after the trigger that brings the line up to date: every caller locks the line before its words.
create function private.on_desk_upload_named() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  ids bigint[] := array(select distinct interview_id from touched);
begin
  -- These words alone: a contribution of two hundred files would otherwise be read two hundred times.
  update private.desk_search as s set words = s.words || private.desk_words(n.names)
  from (
    select t.interview_id, string_agg(t.original_name, E'\n' order by t.id) as names
    from touched as t where t.original_name is not null group by t.interview_id
  ) as n
  where s.interview_id = n.interview_id;
  return null;
exception when others then
  perform private.desk_mark_stale(ids, sqlstate);
  return null;
end
$$;
create trigger on_desk_upload_named after insert on public.media_uploads
  referencing new table as touched for each statement execute function private.on_desk_upload_named();

select private.desk_index(array(
  select distinct interview_id from public.media_uploads where original_name is not null
));

revoke execute on all functions in schema private from public;
