-- rpc('desk_inbox', { query }) and what it stands on: who may ask, what may be asked, the page, its counts, its excerpts.

-- Threat 4: like every function of the desk, for admins only.
create function private.desk_admit(name text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not private.is_admin() then
    raise insufficient_privilege using message = format('permission denied for function %s', name);
  end if;
end
$$;

create function private.desk_refuse(what text) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  raise invalid_parameter_value using message = what;
end
$$;

-- The question ----------------------------------------------------------------------------------------------------------

create type private.desk_question as (
  areas text[], kinds text[], states text[], finished boolean, assignee uuid, unassigned boolean,
  since timestamptz, before timestamptz, words tsquery, excluded boolean, sort text, after_key text, after_id bigint, size integer
);

-- A list of texts, or null where the field was left out or is empty.
create function private.desk_list(query jsonb, field text, known text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  given jsonb := query -> field;
  found text[];
begin
  if given is null or given = 'null' or given = '[]' then return null; end if;
  if jsonb_typeof(given) <> 'array' or jsonb_array_length(given) > 50
    or jsonb_path_exists(given, 'strict $[*] ? (@.type() != "string")') then
    perform private.desk_refuse(format('query: %s', field));
  end if;
  found := array(select jsonb_array_elements_text(given));
  if not found <@ known then perform private.desk_refuse(format('query: %s', field)); end if;
  return found;
end
$$;

-- A text, or null where the field was left out or is empty.
create function private.desk_text(query jsonb, field text, form text, most integer) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  given jsonb := query -> field;
begin
  if given is null or given in ('null', '""') then return null; end if;
  if jsonb_typeof(given) <> 'string' or length(given #>> '{}') > most or (given #>> '{}') !~ form then
    perform private.desk_refuse(format('query: %s', field));
  end if;
  return given #>> '{}';
end
$$;

-- The beginning of a day in Germany.
create function private.desk_day(query jsonb, field text, days integer) returns timestamptz
language plpgsql immutable set search_path = ''
as $$
declare
  given text := private.desk_text(query, field, '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 10);
begin
  return (given::date + days)::timestamp at time zone 'Europe/Berlin';
exception when datetime_field_overflow or invalid_datetime_format then
  perform private.desk_refuse(format('query: %s', field));
end
$$;

create function private.desk_words_sought(search text) returns tsquery
language plpgsql immutable set search_path = ''
as $$
declare
  sought tsquery := websearch_to_tsquery('pg_catalog.german', private.desk_plain(search));
begin
  -- Nothing but words that German texts are full of: then it can only be a name.
  if numnode(sought) = 0 then return websearch_to_tsquery('pg_catalog.simple', private.desk_plain(search)); end if;
  return sought;
end
$$;

-- Where a page ends: sort, key and id of its last line. Opaque to the caller, and checked when it comes back.
create function private.desk_cursor(sort text, key text, id bigint) returns text
language sql immutable set search_path = ''
as $$
  select encode(convert_to(jsonb_build_array(sort, key, id)::text, 'UTF8'), 'hex')
$$;

create function private.desk_question(query jsonb) returns private.desk_question
language plpgsql stable set search_path = ''
as $$
declare
  q private.desk_question;
  assignee text := private.desk_text(query, 'assignee', '^(none|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$', 36);
  search text := private.desk_text(query, 'search', '', 1000);
  cursor text := private.desk_text(query, 'after', '^([0-9a-f]{2})+$', 8000);
  place jsonb;
begin
  if jsonb_typeof(query) <> 'object' or query - array['search', 'areas', 'kinds', 'states', 'finished', 'assignee', 'from', 'until', 'sort', 'after', 'limit'] <> '{}' then
    perform private.desk_refuse('query: unknown field');
  end if;
  q.areas := private.desk_list(query, 'areas', array(select jsonb_array_elements_text(case jsonb_typeof(query -> 'areas') when 'array' then query -> 'areas' else '[]' end)));
  q.kinds := private.desk_list(query, 'kinds', array['interview', 'voice_message', 'video', 'image', 'document', 'contributor']);
  q.states := private.desk_list(query, 'states', array['new', 'in_progress', 'for_review', 'published', 'rejected']);
  if jsonb_typeof(query -> 'finished') not in ('boolean', 'null') then perform private.desk_refuse('query: finished'); end if;
  q.finished := (query ->> 'finished')::boolean;
  q.unassigned := case when assignee = 'none' then true end;
  q.assignee := case when assignee <> 'none' then assignee::uuid end;
  q.since := private.desk_day(query, 'from', 0);
  q.before := private.desk_day(query, 'until', 1);
  if btrim(search) <> '' then q.words := private.desk_words_sought(search); end if;
  -- Words that must not be there name no place in the index; but those that have them do.
  q.excluded := q.words is not null and querytree(q.words) = 'T';
  if q.excluded then q.words := !!q.words; end if;
  q.sort := coalesce(private.desk_text(query, 'sort', '^(newest|oldest|changed|contributor)$', 20), 'newest');
  if jsonb_typeof(query -> 'limit') not in ('number', 'null') or (query ->> 'limit') !~ '^[0-9]{1,3}$' or (query ->> 'limit')::integer not between 1 and 200 then
    perform private.desk_refuse('query: limit');
  end if;
  q.size := coalesce((query ->> 'limit')::integer, 50);
  if cursor is not null then
    begin
      place := convert_from(decode(cursor, 'hex'), 'UTF8')::jsonb;
      if place ->> 0 <> q.sort or jsonb_array_length(place) <> 3 then raise invalid_text_representation; end if;
      q.after_key := place ->> 1;
      q.after_id := (place ->> 2)::bigint;
      if q.sort <> 'contributor' then perform q.after_key::timestamptz; end if;
      if q.after_key is null or q.after_id is null then raise invalid_text_representation; end if;
    exception when others then
      perform private.desk_refuse('query: after');
    end;
  end if;
  return q;
end
$$;

-- The answer ------------------------------------------------------------------------------------------------------------

-- By the index, whatever the planner thinks of it: it does not know what it costs to read a hundred thousand long rows.
create function private.desk_found(words tsquery) returns bigint[]
language sql stable strict security definer set search_path = '' set enable_seqscan = off
as $$
  select array(select s.interview_id from private.desk_search as s where s.words @@ desk_found.words)
$$;

-- What is asked for, states excepted, as SQL over private.desk_items as i. Only what was asked for stands in it, so that the
-- planner sees a plain statement. $1: where the words sought are; a long list is hashed, because to plan with it takes longer
-- than to look through everything.
create function private.desk_conditions(q private.desk_question, found bigint[]) returns text
language sql immutable set search_path = ''
as $$
  select concat_ws(' and ', 'true',
    case
      when q.words is null then null
      when q.excluded then '(i.interview_id in (select unnest($1))) is false'
      when cardinality(found) <= 1000 then 'i.interview_id = any ($1)'
      else '(i.interview_id in (select unnest($1))) is true'
    end,
    case when q.areas is not null then format('i.area = any (%L)', q.areas) end,
    case when q.kinds is not null then format('i.kind = any (%L)', q.kinds) end,
    case when q.finished is not null then format('i.finished = %L', q.finished) end,
    case when q.assignee is not null then format('i.assignee = %L', q.assignee) end,
    case when q.unassigned then 'i.assignee is null' end,
    case when q.since is not null then format('i.created_at >= %L', q.since) end,
    case when q.before is not null then format('i.created_at < %L', q.before) end
  )
$$;

-- The lines of one page and the counts of all states in one statement. $2: states, $3 and $4: the line the page before ended
-- with, $5: lines of a page and one more.
create function private.desk_statement(q private.desk_question, found bigint[]) returns text
language sql immutable set search_path = ''
as $$
  select format($sql$
    with matched as %6$s (
      select i.interview_id, i.state, i.created_at, i.changed_at, i.contributor from private.desk_items as i where %1$s
    ),
    page as (
      select m.* from matched as m where ($2 is null or m.state = any ($2)) and ($3 is null or %2$s) order by %3$s limit $5
    )
    select array(select m.interview_id from page as m order by %3$s), array(select %4$s from page as m order by %3$s),
      (select jsonb_object_agg(s.state, coalesce(c.counted, 0))
        from unnest(array['new', 'in_progress', 'for_review', 'published', 'rejected']) as s (state)
        left join (select m.state, %5$s as counted from matched as m group by 1) as c on c.state = s.state)
    $sql$,
    private.desk_conditions(q, found), by.after, by.place, by.key,
    case when q.words is null then 'count(*)' else 'least(count(*), 10000)' end,
    case when cardinality(found) > 1000 then 'materialized' else 'not materialized' end
  )
  from (values
    ('newest', 'm.created_at::text', 'm.created_at desc, m.interview_id desc', '(m.created_at, m.interview_id) < ($3::timestamptz, $4)'),
    ('oldest', 'm.created_at::text', 'm.created_at, m.interview_id', '(m.created_at, m.interview_id) > ($3::timestamptz, $4)'),
    ('changed', 'm.changed_at::text', 'm.changed_at desc, m.interview_id desc', '(m.changed_at, m.interview_id) < ($3::timestamptz, $4)'),
    ('contributor', 'm.contributor', $o$(m.contributor = ''), m.contributor collate "de-x-icu", m.interview_id$o$,
      $o$((m.contributor = ''), m.contributor collate "de-x-icu", m.interview_id) > (($3 = ''), $3, $4)$o$)
  ) as by (sort, key, place, after)
  where by.sort = q.sort
$$;

-- One line of text.
create function private.desk_flat(given text) returns text
language sql immutable set search_path = ''
as $$
  select btrim(regexp_replace(translate(given, E'\x01\x02', ''), '\s+', ' ', 'g'))
$$;

-- Where the words stand in a text, marked with U+0001 and U+0002; '' where they do not. What the parser would take for a tag,
-- a path or a host is put aside meanwhile: nothing is lost of the text, and nothing becomes HTML.
create function private.desk_headline(given text, words tsquery) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  plain text := case when given is nfc normalized then given else normalize(given, NFC) end;
  headline text;
begin
  if plain ~ '[\x01-\x07\x0e\x0f]' then plain := translate(plain, E'\x01\x02\x03\x04\x05\x06\x07\x0e\x0f', ''); end if;
  headline := ts_headline(
    'pg_catalog.german', translate(plain, '<&/\.@_', E'\x03\x04\x05\x06\x07\x0e\x0f'), words,
    E'StartSel="\x01", StopSel="\x02", MaxFragments=2, MaxWords=18, MinWords=8, FragmentDelimiter=" … "'
  );
  if headline !~ '\x01' then return ''; end if;
  return btrim(regexp_replace(translate(headline, E'\x03\x04\x05\x06\x07\x0e\x0f', '<&/\.@_'), '\s+', ' ', 'g'));
end
$$;

-- Long transcripts are searched beyond their beginning only where nothing was found there.
create function private.desk_excerpt(transcript text, answers jsonb, words tsquery) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  answered text := private.desk_answers(answers);
  found text := '';
begin
  if words is not null then
    found := private.desk_headline(left(transcript, 20000), words);
    if coalesce(found, '') = '' and length(transcript) > 20000 then
      found := private.desk_headline(substr(transcript, 20001), words);
    end if;
    if coalesce(found, '') = '' then found := private.desk_headline(answered, words); end if;
  end if;
  if coalesce(found, '') <> '' then return found; end if;
  return left(coalesce(nullif(private.desk_flat(left(transcript, 1000)), ''), private.desk_flat(left(answered, 1000)), ''), 200);
end
$$;

-- The lines of these contributions, in the order of their ids' places.
create function private.desk_lines(ids bigint[], words tsquery) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'contributorEmail', coalesce(i.contact_email, i.user_email),
    'createdAt', d.created_at, 'changedAt', d.changed_at,
    'state', d.state, 'finished', d.finished, 'files', d.files,
    'assignee', d.assignee, 'assigneeEmail', case when d.assignee is not null then coalesce(a.email, '') end,
    'version', d.version, 'excerpt', private.desk_excerpt(i.transcript, i.w_questions_answers, words)
  ) order by wanted.place), '[]')
  from unnest(ids) with ordinality as wanted (id, place)
  join private.desk_items as d on d.interview_id = wanted.id
  join public.interviews as i on i.id = d.interview_id
  left join auth.users as a on a.id = d.assignee
$$;

create function public.desk_inbox(query jsonb default '{}') returns jsonb
language plpgsql stable security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  q private.desk_question;
  found bigint[];
  ids bigint[];
  keys text[];
  counts jsonb;
  more boolean;
begin
  perform private.desk_admit('desk_inbox');
  q := private.desk_question(query);
  found := private.desk_found(q.words);
  execute private.desk_statement(q, found) into ids, keys, counts
  using found, q.states, q.after_key, q.after_id, q.size + 1;
  more := cardinality(ids) > q.size;
  return jsonb_build_object(
    'items', private.desk_lines(ids[1 : q.size], case when not q.excluded then q.words end),
    'next', case when more then private.desk_cursor(q.sort, keys[q.size], ids[q.size]) end,
    'counts', counts
  );
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function public.desk_inbox(jsonb) from public, anon;
grant execute on function public.desk_inbox(jsonb) to authenticated;
