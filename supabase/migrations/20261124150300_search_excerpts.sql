-- An excerpt is looked for where the words of the search stand as letters. A regular expression runs through a long
-- conversation forty times as fast as the parser of the full-text search, which then sees a piece of it (decision 0322).

-- What words look like in a text, one pattern for each word or phrase that must be there; null where one of several is
-- enough or one must not be there. Words are kept as stems in small letters, without umlauts.
create function private.desk_patterns(words tsquery) returns text[]
language sql immutable strict set search_path = ''
as $$
  select string_to_array(string_agg(
    case
      when f.part[1] is not null then '\m' || replace(replace(replace(replace(
        regexp_replace(replace(f.part[1], '''''', ''''), '([^[:alnum:]])', '\\\1', 'g'),
        'ss', '(?:ss|ß)'), 'a', '(?:ae?|ä)'), 'o', '(?:oe?|ö)'), 'u', '(?:ue?|ü)')
      when f.part[2] = '-' then '\w*\W+'
      when f.part[2] is not null then format('\w*\W+(?:\w+\W+){%s}', f.part[2]::integer - 1)
      else E'\x01'
    end, '' order by f.place), E'\x01')
  from regexp_matches(words::text, '''((?:[^'']|'''')*)''|<(-|\d+)>|&', 'g') with ordinality as f (part, place)
  where regexp_replace(words::text, '''([^'']|'''')*''', '', 'g') !~ '[|!():]'
$$;

-- The first piece of a text that looks like all of the words, as an excerpt; '' where there is none.
create function private.desk_place(said text, words tsquery, patterns text[]) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  -- One stands in few words, several may stand apart.
  size constant integer := case when cardinality(patterns) = 1 then 500 else 1000 end;
  shared constant integer := 200;
  place constant integer := regexp_instr(said, patterns[1], 1, 1, 0, 'i');
  start integer := greatest(1, place - shared);
  found text := '';
begin
  if place = 0 then return ''; end if;
  while found = '' and start <= length(said) loop
    if substr(said, start, size) ~* all (patterns) then
      found := private.desk_headline(private.desk_piece(said, start, size), words);
    end if;
    start := start + size - shared;
  end loop;
  return found;
end
$$;

-- As before; before the text is looked through piece by piece, where it looks like the words.
drop function private.desk_excerpt(text, jsonb, tsquery);
create function private.desk_excerpt(transcript text, answers jsonb, words tsquery, patterns text[]) returns text
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
  shown text;
begin
  if words is not null then
    if said <> '' and patterns is not null then found := private.desk_place(said, words, patterns); end if;
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
  -- A conversation begins with one of its two speakers; anything else is told as it is.
  shown := case when said ~ '^(Interviewer|Du): ' then private.desk_own_words(said) else said end;
  return left(coalesce(nullif(private.desk_flat(left(shown, 1000)), ''), private.desk_flat(left(answered, 1000)), ''), 200);
end
$$;

-- As before, with the patterns of the words.
create or replace function private.desk_lines(ids bigint[], words tsquery) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'contributorEmail', coalesce(i.contact_email, i.user_email),
    'createdAt', d.created_at, 'changedAt', d.changed_at,
    'state', d.state, 'finished', d.finished, 'files', d.files,
    'assignee', d.assignee, 'assigneeEmail', case when d.assignee is not null then coalesce(a.email, '') end,
    'version', d.version, 'excerpt', private.desk_excerpt(i.transcript, i.w_questions_answers, words, (select private.desk_patterns(words))),
    'posts', (
      select case when count(*) > 0 then jsonb_build_object(
        'approved', count(*) filter (where p.state in ('approved', 'published')),
        'changes', count(*) filter (where p.state = 'changes_requested'), 'total', count(*)
      ) end
      from public.posts as p where p.interview_id = d.interview_id and p.state <> 'declined'
    )
  ) order by wanted.place), '[]')
  from unnest(ids) with ordinality as wanted (id, place)
  join private.desk_items as d on d.interview_id = wanted.id
  join public.interviews as i on i.id = d.interview_id
  left join auth.users as a on a.id = d.assignee
$$;

revoke execute on all functions in schema private from public;
