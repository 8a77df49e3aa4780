-- rpc('desk_inbox', { query }): a page of the listing, its counts and its excerpts, within 150 ms at 100,000
-- contributions. Words that few contributions have are found first, and the findings are sorted. Words that many have
-- are looked for in the order of the page, until the page is full, and counted apart from it (decision 0095).

-- Statements ----------------------------------------------------------------------------------------------------------
--
-- Parameters: $1 where the words are, $2 states, $3 and $4 the line the page before ended with, $5 lines of a page and
-- one more, $6 the words, $7 in how many lines they are looked for.

-- The filters of a query but words and states, as SQL over private.desk_items as i. Only filters that were given stand
-- in it, so that the planner sees a plain statement.
create function private.desk_filters(q private.desk_question) returns text
language sql immutable set search_path = ''
as $$
  select concat_ws(' and ', 'true',
    case when q.areas is not null then format('i.area = any (%L)', q.areas) end,
    case when q.kinds is not null then format('i.kind = any (%L)', q.kinds) end,
    case when q.finished is not null then format('i.finished = %L', q.finished) end,
    case when q.assignee is not null then format('i.assignee = %L', q.assignee) end,
    case when q.unassigned then 'i.assignee is null' end,
    case when q.since is not null then format('i.created_at >= %L', q.since) end,
    case when q.before is not null then format('i.created_at < %L', q.before) end
  )
$$;

-- Which of the lines have the words: by the list of where they are ($1), else by the index ($6). The planner does not
-- look into a long list: that takes longer than to look through everything.
create function private.desk_having(q private.desk_question, found bigint[]) returns text
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

-- How a sort is said in SQL over private.desk_items as i: the key as text, the order, and what comes after key $3 and
-- id $4.
create function private.desk_order(sort text, out key text, out place text, out after text)
language sql immutable set search_path = ''
as $$
  select by.key, by.place, by.after
  from (values
    ('newest', 'i.created_at::text', 'i.created_at desc, i.interview_id desc', '(i.created_at, i.interview_id) < ($3::timestamptz, $4)'),
    ('oldest', 'i.created_at::text', 'i.created_at, i.interview_id', '(i.created_at, i.interview_id) > ($3::timestamptz, $4)'),
    ('changed', 'i.changed_at::text', 'i.changed_at desc, i.interview_id desc', '(i.changed_at, i.interview_id) < ($3::timestamptz, $4)'),
    ('contributor', 'i.contributor', $o$(i.contributor = ''), i.contributor collate "de-x-icu", i.interview_id$o$,
      $o$((i.contributor = ''), i.contributor collate "de-x-icu", i.interview_id) > (($3 = ''), $3, $4)$o$)
  ) as by (sort, key, place, after)
  where by.sort = desk_order.sort
$$;

-- The lines of one page and the counts of all states in one statement.
create function private.desk_statement(q private.desk_question, found bigint[]) returns text
language sql immutable set search_path = ''
as $$
  select format($sql$
    with matched as %6$s (
      select i.interview_id, i.state, i.created_at, i.changed_at, i.contributor from private.desk_items as i where %1$s and %7$s
    ),
    page as (
      select i.* from matched as i where ($2 is null or i.state = any ($2)) and ($3 is null or %2$s) order by %3$s limit $5
    )
    select array(select i.interview_id from page as i order by %3$s), array(select %4$s from page as i order by %3$s),
      (select jsonb_object_agg(s.state, coalesce(c.counted, 0))
        from unnest(array['new', 'in_progress', 'for_review', 'published', 'rejected']) as s (state)
        left join (select i.state, %5$s as counted from matched as i group by 1) as c on c.state = s.state)
    $sql$,
    private.desk_filters(q), by.after, by.place, by.key,
    case when q.words is null then 'count(*)' else 'least(count(*), 10000)' end,
    case when q.words is null or cardinality(found) <= 1000 then 'not materialized' else 'materialized' end,
    private.desk_having(q, found)
  )
  from private.desk_order(q.sort) as by
$$;

-- The lines of one page, where most lines have the words ($6): looked for in each of the first lines ($7), one after
-- the other.
create function private.desk_walk(q private.desk_question) returns text
language sql immutable set search_path = ''
as $$
  select format($sql$
    with page as (
      select i.* from (
        select i.interview_id, i.created_at, i.changed_at, i.contributor from private.desk_items as i
        where %1$s and ($2 is null or i.state = any ($2)) and ($3 is null or %2$s) order by %3$s limit $7
      ) as i
      where (select s.words @@ $6 from private.desk_search as s where s.interview_id = i.interview_id) is %5$s
      order by %3$s limit $5
    )
    select array(select i.interview_id from page as i order by %3$s), array(select %4$s from page as i order by %3$s)
    $sql$,
    private.desk_filters(q), by.after, by.place, by.key, case when q.excluded then 'false' else 'true' end
  )
  from private.desk_order(q.sort) as by
$$;

-- Whether there are more lines than those that were looked at.
create function private.desk_beyond(q private.desk_question) returns text
language sql immutable set search_path = ''
as $$
  select format($sql$
    select count(*) = $7 from (
      select from private.desk_items as i where %1$s and ($2 is null or i.state = any ($2)) and ($3 is null or %2$s) limit $7
    ) as i
    $sql$, private.desk_filters(q), by.after
  )
  from private.desk_order(q.sort) as by
$$;

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

-- The answer ----------------------------------------------------------------------------------------------------------

create type private.desk_found_page as (ids bigint[], keys text[], counts jsonb);

-- A page of what many have. Null counts: they are not counted, because all words of all of them would have to be read.
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

-- The lines of these contributions, in the order of their ids' places.
create function private.desk_lines(ids bigint[], words tsquery) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'contributorEmail', coalesce(i.contact_email, i.user_email),
    'createdAt', d.created_at, 'changedAt', d.changed_at,
    'state', d.state, 'finished', d.finished, 'files', d.files,
    'assignee', d.assignee, 'assigneeEmail', case when d.assignee is not null then coalesce(a.email, '') end,
    'version', d.version, 'excerpt', private.desk_excerpt(i.transcript, i.w_questions_answers, words)
  ) order by wanted.place), '[]')
  from unnest(ids) with ordinality as wanted (id, place)
  join private.desk_items as d on d.interview_id = wanted.id
  join public.interviews as i on i.id = d.interview_id
  left join auth.users as a on a.id = d.assignee
$$;

create function public.desk_inbox(query jsonb default '{}') returns jsonb
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
revoke execute on function public.desk_inbox(jsonb) from public, anon;
grant execute on function public.desk_inbox(jsonb) to authenticated;
