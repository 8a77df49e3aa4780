-- Where a transcript says what was looked for, without reading all of it: the excerpts of fifty long conversations took longer than
-- everything else in an answer of the inbox.

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

-- Piece by piece up to the first that has it, a short one first, each with the end of the one before. What stands further apart than a piece is long
-- is looked for in the beginning, then in the rest.
create or replace function private.desk_excerpt(transcript text, answers jsonb, words tsquery) returns text
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
