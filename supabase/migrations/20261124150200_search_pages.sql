-- A page of a search and its counts over the rows of private.desk_search, which know what a query filters by. Where words
-- are that many have is asked in full only where the first lines have them not, and a phrase that stands in few of the
-- texts that may have it is looked for in the order of the page (decision 0321, after 0095 and 0109).

-- Where the words of a phrase stand near each other, or at least all of them: what the index alone can tell. Null where a
-- phrase must not be there. By the index, whatever the planner thinks of it: it does not know what it costs to read a
-- hundred thousand long values.
create function private.desk_candidates(words tsquery, most integer) returns bigint[]
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
declare
  loose tsquery := private.desk_loose(words);
  pairs integer[] := private.desk_pairs_sought(words);
begin
  if loose is null then return null; end if;
  if pairs is null then
    return array(select s.interview_id from private.desk_search as s where s.words @@ loose limit most);
  end if;
  return array(select s.interview_id from private.desk_search as s where private.desk_pairs(s.words) @> pairs limit most);
end
$$;

-- Where the words are; null where too many have them, or where that needs reading too many texts: whether a phrase
-- stands in a text is known only after reading all its words.
create or replace function private.desk_found(words tsquery) returns bigint[]
language plpgsql stable strict set search_path = ''
as $$
declare
  plain constant boolean := private.desk_loose(words) is not distinct from words;
  most constant integer := case when plain then 2000 else 8000 end;
  candidates bigint[] := private.desk_candidates(words, most + 1);
begin
  if cardinality(candidates) <= most then return case when plain then candidates else private.desk_phrase(words) end; end if;
  return null;
end
$$;

-- Which of the lines have the words, by the list of where they are ($1). A long list is joined: the planner takes longer
-- to look into it than PostgreSQL to look through everything.
create or replace function private.desk_having(q private.desk_question, found bigint[]) returns text
language sql immutable set search_path = ''
as $$
  select case
    when q.words is null then 'true'
    when q.excluded then 'not exists (select from unnest($1) as f (id) where f.id = i.interview_id)'
    when cardinality(found) <= 1000 then 'i.interview_id = any ($1)'
    else 'exists (select from unnest($1) as f (id) where f.id = i.interview_id)'
  end
$$;

-- As before; where a list of places is given ($1), only lines that are in it are looked at.
drop function private.desk_walk(private.desk_question);
create function private.desk_walk(q private.desk_question, places bigint[]) returns text
language sql immutable set search_path = ''
as $$
  select format($sql$
    with page as (
      select i.* from (
        select i.interview_id, i.created_at, i.changed_at, i.contributor from private.desk_items as i
        where %1$s and ($2 is null or i.state = any ($2)) and ($3 is null or %2$s) and %6$s order by %3$s limit $7
      ) as i
      where (select s.words @@ $6 from private.desk_search as s where s.interview_id = i.interview_id) is %5$s
      order by %3$s limit $5
    )
    select array(select i.interview_id from page as i order by %3$s), array(select %4$s from page as i order by %3$s)
    $sql$,
    private.desk_filters(q), by.after, by.place, by.key, case when q.excluded then 'false' else 'true' end,
    case when places is null then 'true' else 'exists (select from unnest($1) as f (id) where f.id = i.interview_id)' end
  )
  from private.desk_order(q.sort) as by
$$;

-- How many lines of each state have the words ($6), up to 10,000, or have them not.
drop function private.desk_count(private.desk_question, bigint[]);
create function private.desk_count(q private.desk_question) returns text
language sql immutable set search_path = ''
as $$
  select format($sql$
    select jsonb_object_agg(s.state, least(10000, %2$s))
    from unnest(array['new', 'in_progress', 'for_review', 'published', 'rejected']) as s (state)
    left join (
      select i.state, count(*) as counted from private.desk_search as i where i.words @@ $6 and %1$s group by 1
    ) as there on there.state = s.state
    %3$s
    $sql$,
    private.desk_filters(q),
    case when q.excluded then 'coalesce(lines.counted, 0) - coalesce(there.counted, 0)' else 'coalesce(there.counted, 0)' end,
    case when q.excluded then format(
      'left join (select i.state, count(*) as counted from private.desk_items as i where %s group by 1) as lines on lines.state = s.state',
      private.desk_filters(q)
    ) end
  )
$$;

-- A page of what many have, from the first lines; null where it is not full after them. Null counts: they are not
-- counted, because all words of all of them would have to be read.
drop function private.desk_page_of_many(private.desk_question, bigint[]);
create function private.desk_page_of_many(q private.desk_question, plain boolean) returns private.desk_found_page
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
declare
  looked constant integer := case when plain and not q.excluded then 1500 else 500 end;
  p private.desk_found_page;
  beyond boolean := false;
begin
  execute private.desk_walk(q, null) into p.ids, p.keys
    using null, q.states, q.after_key, q.after_id, q.size + 1, q.words, looked;
  if cardinality(p.ids) <= q.size then
    execute private.desk_beyond(q) into beyond using null, q.states, q.after_key, q.after_id, null, null, looked;
  end if;
  if beyond then return null; end if;
  if plain then execute private.desk_count(q) into p.counts using null, null, null, null, null, q.words; end if;
  return p;
end
$$;

-- Which lines have words not that many have. By the index, as desk_candidates.
create function private.desk_without(q private.desk_question) returns bigint[]
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
declare
  without bigint[];
begin
  execute format($sql$
    select array(
      select i.interview_id from private.desk_items as i
      where %s and not exists (select from private.desk_search as s where s.interview_id = i.interview_id and s.words @@ $1)
    )
    $sql$, private.desk_filters(q)) into without using q.words;
  return without;
end
$$;

-- A page of what is not among the first lines. A phrase is looked for in the order of the page, in what may have it,
-- until the page is full; anything else is found, sorted and counted.
create function private.desk_page_beyond(q private.desk_question, plain boolean) returns private.desk_found_page
language plpgsql stable set search_path = ''
as $$
declare
  p private.desk_found_page;
  places bigint[];
begin
  if q.excluded and plain then
    places := private.desk_without(q);
    q.excluded := false;
  elsif not plain and not q.excluded then
    places := private.desk_candidates(q.words, null);
    if places is not null then
      execute private.desk_walk(q, places) into p.ids, p.keys
        using places, q.states, q.after_key, q.after_id, q.size + 1, q.words, null::integer;
      return p;
    end if;
  end if;
  places := coalesce(places, private.desk_phrase(q.words));
  execute private.desk_statement(q, places) into p.ids, p.keys, p.counts
    using places, q.states, q.after_key, q.after_id, q.size + 1;
  return p;
end
$$;

create or replace function public.desk_inbox(query jsonb default '{}') returns jsonb
language plpgsql stable security definer set search_path = '' set timezone = 'UTC' set work_mem = '16MB' set jit = off
  set max_parallel_workers_per_gather = 0
as $$
declare
  q private.desk_question;
  p private.desk_found_page;
  found bigint[];
  plain boolean;
begin
  perform private.desk_admit('desk_inbox');
  q := private.desk_question(query);
  if q.excluded then
    q.words := private.desk_unnegated(private.desk_words_sought(query ->> 'search'));
  else
    found := private.desk_found(q.words);
  end if;
  if q.words is not null and found is null then
    plain := private.desk_loose(q.words) is not distinct from q.words;
    p := private.desk_page_of_many(q, plain);
    if p.ids is null then p := private.desk_page_beyond(q, plain); end if;
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
