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

-- By the index, whatever the planner thinks of it, like desk_few. `offset 0`: the pairs are asked of the index alone; to work them
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

-- Where the words are; null where that is in more than a few contributions. Whether a phrase stands there is known only after
-- reading all words of each that has them, or their pairs.
create or replace function private.desk_few(words tsquery) returns bigint[]
language plpgsql stable strict set search_path = '' set enable_seqscan = off
as $$
declare
  loose tsquery := private.desk_loose(words);
  pairs integer[] := private.desk_pairs_sought(words);
  most integer := case when loose = words then 2000 else 12000 end;
  found bigint[];
begin
  if loose is null then return null; end if;
  if pairs is null then
    found := array(select s.interview_id from private.desk_search as s where s.words @@ loose limit most + 1);
  else
    found := array(select s.interview_id from private.desk_search as s where private.desk_pairs(s.words) @> pairs limit most + 1);
  end if;
  if cardinality(found) > most then return null; end if;
  return case when loose = words then found else private.desk_phrase(words) end;
end
$$;

revoke execute on all functions in schema private from public;
