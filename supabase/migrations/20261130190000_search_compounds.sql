-- A word of the search also finds the compounds that begin or end with it: 'Wasserstoff' and 'Tankstelle' find
-- 'Wasserstofftankstelle'. In quotation marks it finds itself alone (decision 0398).

-- Long words backwards, so that the index finds what ends with a word by its beginning. No word begins with '~', and
-- without places they are no neighbours of anything.
create function private.desk_endings(words tsvector) returns tsvector
language sql immutable strict set search_path = ''
as $$
  select array_to_tsvector(array(
    select '~' || reverse(lexeme) from unnest(tsvector_to_array(words)) as lexeme where lexeme ~ '^[[:alpha:]]{8,}$'
  ))
$$;

-- As before, with the endings.
create or replace function private.desk_words(given text) returns tsvector
language plpgsql immutable set search_path = ''
as $$
declare
  words tsvector;
begin
  words := to_tsvector('pg_catalog.german', private.desk_plain(given));
  return words || private.desk_endings(words);
exception when program_limit_exceeded then
  words := to_tsvector('pg_catalog.german', private.desk_plain(left(given, 100000)));
  return words || private.desk_endings(words);
end
$$;

-- The words, also without the marks on their letters, and what begins or ends with one of them that must be there. A
-- short word begins too many others ('Kran' would find 'Krankheit'). A phrase is left as it is.
create function private.desk_wide(words tsquery) returns tsquery
language sql immutable strict set search_path = ''
as $$
  select case when words::text ~ '<|!\(' then words else coalesce(string_agg(
      case when f.part[2] is null then f.part[1] else format(
        '(''%1$s''%2$s | ''%3$s''%2$s | ''~%4$s'':*)', f.part[2], case when length(f.part[2]) > 4 then ':*' end,
        private.desk_unmarked(f.part[2]), reverse(f.part[2])
      ) end, '' order by f.place)::tsquery, words) end
  from regexp_matches(words::text, '(!''(?:[^'']|'''')*''|''([[:alpha:]]{4,})''|''(?:[^'']|'''')*''|[^''!]+)', 'g')
    with ordinality as f (part, place)
$$;

-- The words as they stand in a text: also the compounds in it.
create function private.desk_compounds(given text, words tsquery) returns tsquery
language plpgsql immutable set search_path = ''
as $$
declare
  compound record;
begin
  if words::text ~ '[<!]' then return words; end if;
  for compound in
    select sought.word, lexeme
    from (
      select distinct part[1] as word from regexp_matches(words::text, '''([[:alpha:]]{4,})''', 'g') as part
    ) as sought
    join unnest(tsvector_to_array(to_tsvector('pg_catalog.german', given))) as lexeme
      on length(sought.word) > 4 and starts_with(lexeme, sought.word)
        or lexeme ~ '^[[:alpha:]]{8,}$' and starts_with(reverse(lexeme), reverse(sought.word))
    where lexeme ~ '^[[:alnum:]]+$'
  loop
    words := ts_rewrite(
      words, format('''%s''', compound.word)::tsquery,
      format('''%s'' | ''%s''', compound.word, compound.lexeme)::tsquery
    );
  end loop;
  return words;
end
$$;

-- As before, with compounds. Of a single word they are looked for only where the word itself does not stand: to read a
-- text twice takes twice as long.
create or replace function private.desk_headline(given text, words tsquery) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  plain text := case when given is nfc normalized then given else normalize(given, NFC) end;
  options constant text :=
    E'StartSel="\x01", StopSel="\x02", MaxFragments=2, MaxWords=18, MinWords=8, FragmentDelimiter=" … "';
  headline text;
begin
  if plain ~ '[\x01-\x07\x0e\x0f]' then plain := translate(plain, E'\x01\x02\x03\x04\x05\x06\x07\x0e\x0f', ''); end if;
  plain := translate(plain, '<&/\.@_', E'\x03\x04\x05\x06\x07\x0e\x0f');
  if numnode(words) = 1 then headline := ts_headline('pg_catalog.german', plain, words, options); end if;
  if headline is null or headline !~ '\x01' then
    headline := ts_headline('pg_catalog.german', plain, private.desk_compounds(plain, words), options);
  end if;
  if headline !~ '\x01' then return ''; end if;
  return btrim(regexp_replace(translate(headline, E'\x03\x04\x05\x06\x07\x0e\x0f', '<&/\.@_'), '\s+', ' ', 'g'));
end
$$;

-- As before; of single words also within others.
create or replace function private.desk_patterns(words tsquery) returns text[]
language sql immutable strict set search_path = ''
as $$
  select string_to_array(string_agg(
    case
      when f.part[1] is not null then case when words::text ~ '<' or length(f.part[1]) < 4 then '\m' else '' end
        || replace(replace(replace(replace(
        regexp_replace(replace(f.part[1], '''''', ''''), '([^[:alnum:]])', '\\\1', 'g'),
        'ss', '(?:ss|ß)'), 'a', '(?:ae?|ä)'), 'o', '(?:oe?|ö)'), 'u', '(?:ue?|ü)')
      when f.part[2] = '-' then '\w*\W+'
      when f.part[2] is not null then format('\w*\W+(?:\w+\W+){%s}', f.part[2]::integer - 1)
      else E'\x01'
    end, '' order by f.place), E'\x01')
  from regexp_matches(words::text, '''((?:[^'']|'''')*)''|<(-|\d+)>|&', 'g') with ordinality as f (part, place)
  where regexp_replace(words::text, '''([^'']|'''')*''', '', 'g') !~ '[|!():]'
$$;

-- As before, with the compounds of words that stand in no quotation marks.
create or replace function public.desk_inbox(query jsonb default '{}') returns jsonb
language plpgsql stable security definer set search_path = '' set timezone = 'UTC' set work_mem = '16MB' set jit = off
  set max_parallel_workers_per_gather = 0
as $$
declare
  q private.desk_question;
  p private.desk_found_page;
  found bigint[];
  plain boolean;
  marked tsquery;
begin
  perform private.desk_admit('desk_inbox');
  q := private.desk_question(query);
  if q.excluded then
    q.words := private.desk_unnegated(private.desk_words_sought(query ->> 'search'));
  else
    marked := q.words;
    found := private.desk_found(q.words);
    -- What many have as it is written is not also sought in compounds: that takes twice as long.
    if found is not null and query ->> 'search' !~ '"' then
      q.words := private.desk_wide(q.words);
      found := private.desk_found(q.words);
    end if;
  end if;
  if q.words is not null and found is null then
    plain := private.desk_loose(q.words) is not distinct from q.words;
    p := private.desk_page_of_many(q, plain);
    if p.ids is null then p := private.desk_page_beyond(q, plain); end if;
  else
    execute private.desk_statement(q, found) into p.ids, p.keys, p.counts
      using found, q.states, q.after_key, q.after_id, q.size + 1;
  end if;
  return jsonb_build_object(
    'items', private.desk_lines(p.ids[1 : q.size], marked),
    'next', case when cardinality(p.ids) > q.size then private.desk_cursor(q.sort, p.keys[q.size], p.ids[q.size]) end,
    'counts', coalesce(p.counts, '{}')
  );
end
$$;

select private.desk_index(array(select id from public.interviews));

revoke execute on all functions in schema private from public;
