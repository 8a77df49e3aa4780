-- A number behind a hyphen is a word of its own: to the parser 'Pumpe-4711' is a pump and 'minus 4711', which nobody
-- looks for (decision 0414).

-- As before; also of what is sought, where a hyphen that begins a word excludes it.
create or replace function private.desk_plain(given text) returns text
language sql immutable set search_path = ''
as $$
  select regexp_replace(
    translate(case when given is nfc normalized then given else normalize(given, NFC) end, '<>&/\.@_', '        '),
    '([[:alnum:]])-(?=[0-9])', '\1 ', 'g'
  )
$$;

-- As before; '-20 Grad' is found as '20 Grad'.
create or replace function private.desk_words(given text) returns tsvector
language plpgsql immutable set search_path = ''
as $$
declare
  plain text := regexp_replace(given, '-(?=[0-9])', ' ', 'g');
  words tsvector;
begin
  words := to_tsvector('pg_catalog.german', private.desk_plain(plain));
  return words || private.desk_endings(words);
exception when program_limit_exceeded then
  words := to_tsvector('pg_catalog.german', private.desk_plain(left(plain, 100000)));
  return words || private.desk_endings(words);
end
$$;

-- As before; U+0010 stands for such a hyphen.
create or replace function private.desk_headline(given text, words tsquery) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  plain text := case when given is nfc normalized then given else normalize(given, NFC) end;
  options constant text :=
    E'StartSel="\x01", StopSel="\x02", MaxFragments=2, MaxWords=18, MinWords=8, FragmentDelimiter=" … "';
  own constant text := E'\x03\x04\x05\x06\x07\x0e\x0f\x10';
  wide tsquery;
  headline text;
begin
  if plain ~ '[\x01-\x07\x0e-\x10]' then plain := translate(plain, E'\x01\x02' || own, ''); end if;
  plain := regexp_replace(translate(plain, '<&/\.@_', own), '-(?=[0-9])', E'\x10', 'g');
  if numnode(words) = 1 then headline := ts_headline('pg_catalog.german', plain, words, options); end if;
  if headline is null or headline !~ '\x01' then
    wide := private.desk_compounds(plain, words);
    if headline is not null and wide = words then return ''; end if;
    headline := ts_headline('pg_catalog.german', plain, wide, options);
  end if;
  if headline !~ '\x01' then return ''; end if;
  return btrim(regexp_replace(translate(headline, own, '<&/\.@_-'), '\s+', ' ', 'g'));
end
$$;

select private.desk_index(array(select id from public.interviews));
