-- As before, within bounds. Who was found by a name or a note has not said the words, and each such line had its whole
-- text read twice, word by word: a page of long conversations of one person was cut off (decision 0406).
create or replace function private.desk_excerpt(transcript text, answers jsonb, words tsquery, patterns text[])
returns text
language plpgsql immutable set search_path = ''
as $$
declare
  largest constant integer := 2000;
  size integer := 500;
  shared constant integer := 200;
  -- So much is looked through piece by piece.
  most constant integer := 10000;
  -- Unpacked once.
  said text := transcript || '';
  answered text := private.desk_answers(answers);
  start integer := 1;
  found text := '';
  shown text;
begin
  if words is not null then
    if said <> '' and patterns is not null then found := private.desk_place(said, words, patterns); end if;
    while found = '' and start <= least(most, coalesce(length(said), 0)) loop
      found := private.desk_headline(private.desk_piece(said, start, size), words);
      start := start + size - shared;
      size := largest;
    end loop;
    -- Words that stand further apart than a piece is long.
    if found = '' and length(said) > largest and numnode(words) > 1 and coalesce(said ~* all (patterns), true) then
      found := private.desk_headline(left(said, most), words);
      if found = '' and length(said) > most and patterns is not null then
        found := private.desk_headline(substr(said, most + 1), words);
      end if;
    end if;
    if found = '' and answered is not null then found := private.desk_headline(answered, words); end if;
  end if;
  if found <> '' then return found; end if;
  -- A conversation begins with one of its two speakers; anything else is told as it is.
  shown := case when said ~ '^(Interviewer|Du): ' then private.desk_own_words(said) else said end;
  return left(
    coalesce(nullif(private.desk_flat(left(shown, 1000)), ''), private.desk_flat(left(answered, 1000)), ''), 200
  );
end
$$;

-- As before, in so many places at most: what only looks like the words may stand everywhere.
create or replace function private.desk_place(said text, words tsquery, patterns text[]) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  -- One stands in few words, several may stand apart.
  size constant integer := case when cardinality(patterns) = 1 then 500 else 1000 end;
  shared constant integer := 200;
  place constant integer := regexp_instr(said, patterns[1], 1, 1, 0, 'i');
  start integer := greatest(1, place - shared);
  left_over integer := 20;
  found text := '';
begin
  if place = 0 then return ''; end if;
  while found = '' and start <= length(said) and left_over > 0 loop
    if substr(said, start, size) ~* all (patterns) then
      found := private.desk_headline(private.desk_piece(said, start, size), words);
      left_over := left_over - 1;
    end if;
    start := start + size - shared;
  end loop;
  return found;
end
$$;

-- As before; a text without compounds is not read for them once more.
create or replace function private.desk_headline(given text, words tsquery) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  plain text := case when given is nfc normalized then given else normalize(given, NFC) end;
  options constant text :=
    E'StartSel="\x01", StopSel="\x02", MaxFragments=2, MaxWords=18, MinWords=8, FragmentDelimiter=" … "';
  wide tsquery;
  headline text;
begin
  if plain ~ '[\x01-\x07\x0e\x0f]' then plain := translate(plain, E'\x01\x02\x03\x04\x05\x06\x07\x0e\x0f', ''); end if;
  plain := translate(plain, '<&/\.@_', E'\x03\x04\x05\x06\x07\x0e\x0f');
  if numnode(words) = 1 then headline := ts_headline('pg_catalog.german', plain, words, options); end if;
  if headline is null or headline !~ '\x01' then
    wide := private.desk_compounds(plain, words);
    if headline is not null and wide = words then return ''; end if;
    headline := ts_headline('pg_catalog.german', plain, wide, options);
  end if;
  if headline !~ '\x01' then return ''; end if;
  return btrim(regexp_replace(translate(headline, E'\x03\x04\x05\x06\x07\x0e\x0f', '<&/\.@_'), '\s+', ' ', 'g'));
end
$$;
