-- The desk's search also finds the words of the team's notes. The next file brings the notes there are into the index.

-- As before, with the notes.
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

-- As before; the note is found at once.
create or replace function private.desk_note(item private.desk_items, change jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into private.desk_events (interview_id, by, what, text)
  values (item.interview_id, auth.uid(), 'note', change ->> 'note');
  update private.desk_items set changed_at = clock_timestamp() where interview_id = item.interview_id;
  perform private.desk_index(array[item.interview_id]);
  perform public.desk_audit(item.interview_id, 'note');
end
$$;

revoke execute on all functions in schema private from public;
