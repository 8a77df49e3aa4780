-- Narrow rows for the search: words lie outside of their row, and what an inbox query filters by stands beside them. So a
-- word that nearly all have is counted in a few pages, without a join and without reading its texts (decision 0321).

drop index private.desk_search_words_idx, private.desk_search_pairs_idx;

-- As in private.desk_items.
alter table private.desk_search
  add column area text,
  add column kind text,
  add column finished boolean,
  add column state text,
  add column assignee uuid,
  add column created_at timestamptz;

update private.desk_search as s
set area = d.area, kind = d.kind, finished = d.finished, state = d.state, assignee = d.assignee, created_at = d.created_at
from private.desk_items as d
where d.interview_id = s.interview_id;

alter table private.desk_search
  alter column area set not null,
  alter column kind set not null,
  alter column finished set not null,
  alter column state set not null,
  alter column created_at set not null;

-- PostgreSQL moves values out of rows of more than 2 KB only, and then of as many as it takes to get below the target.
-- The spaces make each row that long; they shrink to 40 bytes. Room for copies that change, so that no index follows.
alter table private.desk_search set (toast_tuple_target = 128, fillfactor = 85);
alter table private.desk_search alter column words set storage external;
alter table private.desk_search
  add column padding text generated always as (case when words is not null then repeat(' ', 2048) end) stored;

create index desk_search_words_idx on private.desk_search using gin (words)
  with (fastupdate = on, gin_pending_list_limit = 1024);
create index desk_search_pairs_idx on private.desk_search using gin (private.desk_pairs(words))
  with (fastupdate = on, gin_pending_list_limit = 1024);
alter index private.desk_search_pairs_idx alter column 1 set statistics 0;

-- As before, with the copies of a new row.
create or replace function private.desk_index(ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.desk_search (interview_id, area, kind, finished, state, assignee, created_at, words)
  select i.id, d.area, d.kind, d.finished, d.state, d.assignee, d.created_at,
    private.desk_words(concat_ws(E'\n', i.transcript, private.desk_answers(i.w_questions_answers), (
      select string_agg(v.body, E'\n' order by p.id)
      from public.posts as p join public.post_versions as v on v.post_id = p.id and v.version = p.version
      where p.interview_id = i.id
    )))
    || to_tsvector('pg_catalog.german', names.all) || to_tsvector('pg_catalog.simple', names.all)
  from public.interviews as i
  join private.desk_items as d on d.interview_id = i.id
  cross join lateral (
    select private.desk_plain(concat_ws(' ', i.contact_first_name, i.contact_last_name, i.contact_email, i.user_email))
  ) as names ("all")
  where i.id = any (ids)
  on conflict (interview_id) do update set words = excluded.words
$$;

-- Under the lock of the line, in the same transaction: a count of the search and one of the lines agree.
create function private.on_desk_item_filters() returns trigger
language plpgsql set search_path = ''
as $$
begin
  update private.desk_search as s
  set area = new.area, kind = new.kind, finished = new.finished, state = new.state, assignee = new.assignee,
    created_at = new.created_at
  where s.interview_id = new.interview_id;
  return null;
end
$$;
create trigger on_desk_item_filters after update on private.desk_items
  for each row when (
    (old.area, old.kind, old.finished, old.state, old.assignee, old.created_at)
    is distinct from (new.area, new.kind, new.finished, new.state, new.assignee, new.created_at)
  )
  execute function private.on_desk_item_filters();

revoke execute on all functions in schema private from public;
