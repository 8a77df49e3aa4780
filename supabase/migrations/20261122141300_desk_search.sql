-- Full-text search in contributions: the words of each, an index of neighbours for phrases, and excerpts.

-- Words ---------------------------------------------------------------------------------------------------------------

-- Apart from the items, because its rows are long: transcript, W-answers, names and addresses.
create table private.desk_search (
  interview_id bigint primary key references private.desk_items (interview_id) on delete cascade,
  words tsvector not null
);
alter table private.desk_search enable row level security;
revoke all on private.desk_search from public, anon, authenticated;

-- New words wait in a short list, so that a contributor waits for none of it; every search reads through that list, so
-- it is kept short.
create index desk_search_words_idx on private.desk_search using gin (words)
  with (fastupdate = on, gin_pending_list_limit = 1024);

-- Text as it is indexed and searched. The parser takes '<b>' for a tag, 'Welle/Nabe' for a path and 'Ende.Dann' for a
-- host; here they are words.
create function private.desk_plain(given text) returns text
language sql immutable set search_path = ''
as $$
  select translate(case when given is nfc normalized then given else normalize(given, NFC) end, '<>&/\.@_', '        ')
$$;

-- A tsvector has a ceiling of 1 MiB, which no person's transcript reaches; of a longer text the beginning is found.
create function private.desk_words(given text) returns tsvector
language plpgsql immutable set search_path = ''
as $$
begin
  return to_tsvector('pg_catalog.german', private.desk_plain(given));
exception when program_limit_exceeded then
  return to_tsvector('pg_catalog.german', private.desk_plain(left(given, 100000)));
end
$$;

create function private.desk_answers(answers jsonb) returns text
language sql immutable set search_path = ''
as $$
  select string_agg(answers ->> question, E'\n' order by place)
  from unnest(array['who', 'what', 'when', 'where', 'why']) with ordinality as asked (question, place)
$$;

create function private.desk_index(ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.desk_search (interview_id, words)
  select i.id,
    private.desk_words(concat_ws(E'\n', i.transcript, private.desk_answers(i.w_questions_answers)))
    || to_tsvector('pg_catalog.german', names.all) || to_tsvector('pg_catalog.simple', names.all)
  from public.interviews as i
  join private.desk_items as d on d.interview_id = i.id
  cross join lateral (
    select private.desk_plain(concat_ws(' ', i.contact_first_name, i.contact_last_name, i.contact_email, i.user_email))
  ) as names ("all")
  where i.id = any (ids)
  on conflict (interview_id) do update set words = excluded.words
$$;

-- Neighbours ----------------------------------------------------------------------------------------------------------

-- A phrase of two words that nearly every text has, and hardly any side by side, has to answer quickly as well: an
-- index of neighbours says which texts are worth reading (decision 0109).

-- Which words stand next to each other, or with one word between them (a function word, which is no lexeme: 'Druck und
-- Temperatur'), as numbers below 16384. Pairs share numbers: the index stays as small as that of the words, and each
-- text it finds is read.
create function private.desk_pair(one text, other text, distance integer) returns integer
language sql immutable strict parallel safe set search_path = ''
as $$
  select (hashtextextended(one || ' ' || other, distance) & 16383)::integer
$$;

create function private.desk_pairs(words tsvector) returns integer[]
language plpgsql immutable strict parallel safe set search_path = ''
as $$
begin
  return (
    with placed as materialized (select u.lexeme, p.place from unnest(words) as u, unnest(u.positions) as p (place))
    -- desk_pair, spelled out: a call for each costs as much as the rest.
    select array_agg((hashtextextended(a.lexeme || ' ' || b.lexeme, d.distance) & 16383)::integer)
    from placed as a cross join (values (1), (2)) as d (distance) join placed as b on b.place = a.place + d.distance
  );
end
$$;

create index desk_search_pairs_idx on private.desk_search using gin (private.desk_pairs(words))
  with (fastupdate = on, gin_pending_list_limit = 1024);
-- The planner does not need these statistics, and to collect them takes as long as to build half of the index.
alter index private.desk_search_pairs_idx alter column 1 set statistics 0;

-- The pairs that a text must have to have these words. Null where none is needed: no phrase, an alternative, a
-- negation.
create function private.desk_pairs_sought(words tsquery) returns integer[]
language sql immutable strict set search_path = ''
as $$
  select array_agg(distinct private.desk_pair(t.before, t.lexeme, t.distance))
  from (
    select replace(s.found[1], '''''', '''') as lexeme,
      replace(lag(s.found[1], 2) over (order by s.place), '''''', '''') as before,
      case lag(s.found[2]) over (order by s.place) when '-' then 1 when '2' then 2 end as distance
    from regexp_matches(words::text, '''((?:[^'']|'''')*)''|<(-|\d+)>|&', 'g') with ordinality as s (found, place)
  ) as t
  where t.distance is not null and regexp_replace(words::text, '''([^'']|'''')*''', '', 'g') !~ '[|!():]'
$$;

-- Finding -------------------------------------------------------------------------------------------------------------

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

-- Words of a phrase, wherever they stand: what the index alone can tell. Null where a phrase must not be there, of
-- which the index tells nothing. Lexemes hold no '<' (desk_plain).
create function private.desk_loose(words tsquery) returns tsquery
language sql immutable strict set search_path = ''
as $$
  select case
    when words::text !~ '<' then words
    when words::text !~ '!' then regexp_replace(words::text, '<(-|\d+)>', '&', 'g')::tsquery
  end
$$;

-- Excluded words as wanted words: the index is of no use for a negation, even for that of one word.
create function private.desk_unnegated(words tsquery) returns tsquery
language sql immutable set search_path = ''
as $$
  select case
    when words::text ~ '^!(\([^()&|!]*\)|[^()! ]+)( & !(\([^()&|!]*\)|[^()! ]+))*$'
      then translate(replace(words::text, ' & ', ' | '), '!', '')::tsquery
    else !!words
  end
$$;

-- Where a phrase stands. By the index, like desk_found. `offset 0`: the pairs are asked of the index alone; to work
-- them out of a text takes a hundred times as long as to look for the phrase in it.
create function private.desk_phrase(words tsquery) returns bigint[]
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
declare
  pairs integer[] := private.desk_pairs_sought(words);
begin
  if pairs is null then
    return array(select s.interview_id from private.desk_search as s where s.words @@ desk_phrase.words);
  end if;
  return array(
    select s.interview_id
    from (select * from private.desk_search as n where private.desk_pairs(n.words) @> pairs offset 0) as s
    where s.words @@ desk_phrase.words
  );
end
$$;

-- Where the words are, however many; null where that needs reading too many texts: whether a phrase stands in a text is
-- known only after reading all its words. By the index, whatever the planner thinks of it: it does not know what it
-- costs to read a hundred thousand long rows.
create function private.desk_found(words tsquery) returns bigint[]
language plpgsql stable strict set search_path = '' set enable_seqscan = off
as $$
declare
  most constant integer := 12000;
  loose tsquery := private.desk_loose(words);
  pairs integer[] := private.desk_pairs_sought(words);
  read bigint[];
begin
  if loose is null then return null; end if;
  if loose = words then
    return array(select s.interview_id from private.desk_search as s where s.words @@ desk_found.words);
  end if;
  if pairs is null then
    read := array(select s.interview_id from private.desk_search as s where s.words @@ loose limit most + 1);
  else
    read := array(select s.interview_id from private.desk_search as s where private.desk_pairs(s.words) @> pairs limit most + 1);
  end if;
  return case when cardinality(read) <= most then private.desk_phrase(words) end;
end
$$;

-- Excerpts ------------------------------------------------------------------------------------------------------------

-- One line of text.
create function private.desk_flat(given text) returns text
language sql immutable set search_path = ''
as $$
  select btrim(regexp_replace(translate(given, E'\x01\x02', ''), '\s+', ' ', 'g'))
$$;

-- Where the words stand in a text, marked with U+0001 and U+0002; '' where they do not. Characters that the parser
-- would take for a tag, a path or a host are replaced meanwhile: nothing is lost of the text, and nothing becomes HTML.
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

-- A piece of a text without the words that its edges cut.
create function private.desk_piece(given text, start integer, size integer) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  piece text := substr(given, start, size);
  trimmed text := piece;
begin
  if start > 1 then trimmed := regexp_replace(trimmed, '^\S+', ''); end if;
  if length(piece) = size then trimmed := regexp_replace(trimmed, '\S+$', ''); end if;
  -- A word as long as the piece.
  return case when trimmed = '' then piece else trimmed end;
end
$$;

-- Piece by piece up to the first that has the words, a short one first, each with the end of the one before, because
-- reading all of fifty long conversations took longer than the rest of an inbox page. Words further apart than a piece
-- are looked for in the beginning, then in the rest.
create function private.desk_excerpt(transcript text, answers jsonb, words tsquery) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  largest constant integer := 2000;
  size integer := 500;
  shared constant integer := 200;
  -- Unpacked once.
  said text := transcript || '';
  answered text := private.desk_answers(answers);
  start integer := 1;
  found text := '';
begin
  if words is not null then
    while found = '' and start <= coalesce(length(said), 0) loop
      found := private.desk_headline(private.desk_piece(said, start, size), words);
      start := start + size - shared;
      size := largest;
    end loop;
    if found = '' and length(said) > largest and numnode(words) > 1 then
      found := private.desk_headline(left(said, 20000), words);
      if found = '' and length(said) > 20000 then found := private.desk_headline(substr(said, 20001), words); end if;
    end if;
    if found = '' and answered is not null then found := private.desk_headline(answered, words); end if;
  end if;
  if found <> '' then return found; end if;
  return left(coalesce(nullif(private.desk_flat(left(said, 1000)), ''), private.desk_flat(left(answered, 1000)), ''), 200);
end
$$;

revoke execute on all functions in schema private from public;
