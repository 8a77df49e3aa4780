-- A phrase of two words that nearly every text has, and hardly any side by side, in 150 ms as well: an index of neighbours says
-- which texts are worth reading.

-- Which words stand next to each other, or with one word between them (a function word, which is no lexeme: 'Druck und Temperatur'),
-- as numbers below 16384. Pairs share numbers: the index stays as small as that of the words, and what it finds has to be read.
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
-- What the planner would learn of it, it does not need; to learn it takes as long as to build half of the index.
alter index private.desk_search_pairs_idx alter column 1 set statistics 0;

-- The pairs that a text must have to have these words. Null where it need not have any: no phrase, an alternative, a negation.
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

-- By the index, whatever the planner thinks of it, like desk_found. `offset 0`: the pairs are asked of the index alone; to work them
-- out of a text takes a hundred times as long as to look for the phrase in it.
create or replace function private.desk_phrase(words tsquery) returns bigint[]
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

-- Where the words are, however many; null where that has to be found by reading too many texts: whether a phrase stands there is
-- known only after reading all words of each that has them, or their pairs.
drop function private.desk_few(tsquery);
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

-- Which of the lines have the words: by the list of where they are ($1), else by the index ($6). What stands in a long list the
-- planner does not look at: that takes longer than to look through everything.
create or replace function private.desk_having(q private.desk_question, found bigint[]) returns text
language sql immutable set search_path = ''
as $$
  select case
    when q.words is null then 'true'
    when q.excluded then '(i.interview_id in (select s.interview_id from private.desk_search as s where s.words @@ $6)) is not true'
    when found is null then 'i.interview_id in (select s.interview_id from private.desk_search as s where s.words @@ $6)'
    when cardinality(found) <= 1000 then 'i.interview_id = any ($1)'
    else 'i.interview_id = any ((select $1)::bigint[])'
  end
$$;

drop function private.desk_count(private.desk_question);
create function private.desk_count(q private.desk_question, found bigint[]) returns text
language sql immutable set search_path = ''
as $$
  select format($sql$
    select jsonb_object_agg(s.state, coalesce(c.counted, 0))
    from unnest(array['new', 'in_progress', 'for_review', 'published', 'rejected']) as s (state)
    left join (
      select i.state, least(count(*), 10000) as counted from private.desk_items as i where %1$s and %2$s group by 1
    ) as c on c.state = s.state
    $sql$, private.desk_filters(q), private.desk_having(q, found)
  )
$$;

-- A page of what many have. Null counts: they are not counted, because all words of all of them would have to be read.
drop function private.desk_page_of_many(private.desk_question);
create function private.desk_page_of_many(q private.desk_question, places bigint[]) returns private.desk_found_page
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
declare
  looked constant integer := 1500;
  phrase constant boolean := private.desk_loose(q.words) is distinct from q.words;
  p private.desk_found_page;
  beyond boolean := false;
begin
  execute private.desk_walk(q) into p.ids, p.keys using places, q.states, q.after_key, q.after_id, q.size + 1, q.words, looked;
  if cardinality(p.ids) <= q.size then
    execute private.desk_beyond(q) into beyond using places, q.states, q.after_key, q.after_id, null, null, looked;
  end if;
  if beyond then
    -- Many have its words, yet the phrase itself is rare.
    if phrase and not q.excluded then places := private.desk_phrase(q.words); end if;
    execute private.desk_statement(q, places) into p.ids, p.keys, p.counts using places, q.states, q.after_key, q.after_id, q.size + 1, q.words;
  elsif not phrase then
    execute private.desk_count(q, places) into p.counts using places, null, null, null, null, q.words;
  end if;
  return p;
end
$$;

create or replace function public.desk_inbox(query jsonb default '{}') returns jsonb
language plpgsql stable security definer set search_path = '' set timezone = 'UTC' set work_mem = '16MB' set jit = off
as $$
declare
  few constant integer := 2000;
  q private.desk_question;
  p private.desk_found_page;
  found bigint[];
begin
  perform private.desk_admit('desk_inbox');
  q := private.desk_question(query);
  if q.excluded then
    q.words := private.desk_unnegated(private.desk_words_sought(query ->> 'search'));
  else
    found := private.desk_found(q.words);
  end if;
  if q.words is not null and (found is null or cardinality(found) > few) then
    p := private.desk_page_of_many(q, found);
  else
    execute private.desk_statement(q, found) into p.ids, p.keys, p.counts using found, q.states, q.after_key, q.after_id, q.size + 1;
  end if;
  return jsonb_build_object(
    'items', private.desk_lines(p.ids[1 : q.size], case when not q.excluded then q.words end),
    'next', case when cardinality(p.ids) > q.size then private.desk_cursor(q.sort, p.keys[q.size], p.ids[q.size]) end,
    'counts', coalesce(p.counts, '{}')
  );
end
$$;

revoke execute on all functions in schema private from public;
