-- A name is also found without its marks, as people type it: 'Celik' finds 'Çelik', 'Lukasz' finds 'Łukasz'. German
-- umlauts are found in every spelling as before.

-- Letters without the marks on them, but umlauts. Those that no normal form takes apart are replaced one by one.
create function private.desk_unmarked(given text) returns text
language sql immutable set search_path = ''
as $$
  select translate(
    normalize(regexp_replace(normalize(given, NFD), '[\u0300-\u0307\u0309-\u036f]', '', 'g'), NFC),
    'ëïÿËÏŸØøŁłĐđı', 'eiyEIYOoLlDdi'
  )
$$;

-- As before, and the names without their marks.
create or replace function private.desk_index(ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.desk_search (interview_id, area, kind, finished, state, assignee, created_at, words)
  select i.id, d.area, d.kind, d.finished, d.state, d.assignee, d.created_at,
    private.desk_words(concat_ws(E'\n', i.transcript, private.desk_answers(i.w_questions_answers), (
      select string_agg(v.body, E'\n' order by p.id)
      from public.posts as p join public.post_versions as v on v.post_id = p.id and v.version = p.version
      where p.interview_id = i.id
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

select private.desk_index(array(
  select i.id from public.interviews as i
  where private.desk_unmarked(concat_ws(' ', i.contact_first_name, i.contact_last_name))
    <> normalize(concat_ws(' ', i.contact_first_name, i.contact_last_name), NFC)
));

revoke execute on all functions in schema private from public;
