-- As before, with thirty compounds at most: each is built into the query anew, so that one text made of compounds,
-- which a guest can hand in, kept every search for its words until it was cut off.
create or replace function private.desk_compounds(given text, words tsquery) returns tsquery
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
