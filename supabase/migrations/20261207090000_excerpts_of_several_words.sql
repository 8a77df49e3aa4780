-- Excerpts of several words: a text that has all of them as they are written is not read for compounds, which took as
-- long as the search itself for a page of lines (decision 0398).

-- As before, of the words of a text instead of the text.
create function private.desk_compounds(said tsvector, words tsquery) returns tsquery
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
    join unnest(tsvector_to_array(said)) as lexeme
      on length(sought.word) > 4 and starts_with(lexeme, sought.word)
        or lexeme ~ '^[[:alpha:]]{8,}$' and starts_with(reverse(lexeme), reverse(sought.word))
    where lexeme ~ '^[[:alnum:]]+$'
    limit 30
  loop
    words := ts_rewrite(
      words, format('''%s''', compound.word)::tsquery,
      format('''%s'' | ''%s''', compound.word, compound.lexeme)::tsquery
    );
  end loop;
  return words;
end
$$;

drop function private.desk_compounds(text, tsquery);

-- As before, but for that.
create or replace function private.desk_headline(given text, words tsquery) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  plain text := case when given is nfc normalized then given else normalize(given, NFC) end;
  options constant text :=
    E'StartSel="\x01", StopSel="\x02", MaxFragments=2, MaxWords=18, MinWords=8, FragmentDelimiter=" … "';
  own constant text := E'\x03\x04\x05\x06\x07\x0e\x0f\x10';
  -- A phrase, or something is excluded: neither is looked for in compounds.
  literal constant boolean := words::text ~ '[<!]';
  said tsvector;
  wide tsquery := words;
  headline text;
begin
  if plain ~ '[\x01-\x07\x0e-\x10]' then plain := translate(plain, E'\x01\x02' || own, ''); end if;
  plain := regexp_replace(translate(plain, '<&/\.@_', own), '-(?=[0-9])', E'\x10', 'g');
  if numnode(words) > 1 and not literal then said := to_tsvector('pg_catalog.german', plain); end if;
  if numnode(words) = 1 or said @@ words then
    headline := ts_headline('pg_catalog.german', plain, words, options);
  end if;
  if headline is null or headline !~ '\x01' then
    if not literal then
      wide := private.desk_compounds(coalesce(said, to_tsvector('pg_catalog.german', plain)), words);
    end if;
    if headline is not null and wide = words then return ''; end if;
    headline := ts_headline('pg_catalog.german', plain, wide, options);
  end if;
  if headline !~ '\x01' then return ''; end if;
  return btrim(regexp_replace(translate(headline, own, '<&/\.@_-'), '\s+', ' ', 'g'));
end
$$;

revoke execute on all functions in schema private from public;
