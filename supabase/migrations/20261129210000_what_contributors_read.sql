-- What contributors read of a contribution agrees with what the team and the other pages say of it.

-- As before, but the transcript, which is counted in words, is no file as well: each correction of it is kept as one.
create or replace function private.receipt_facts(contribution bigint) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'words', coalesce(cardinality(regexp_split_to_array(nullif(btrim(i.transcript), ''), '\s+')), 0),
    'completedAt', greatest(i.created_at, i.completed_at),
    'files', coalesce((
      select jsonb_object_agg(k.kind, k.count) from (
        select private.media_kind(m.file_type) as kind, count(*) as count
        from public.media_uploads as m
        where m.interview_id = i.id
          and (m.file_path !~ '/transcript_[0-9]+\.txt$' or coalesce(btrim(i.transcript), '') = '')
        group by 1
      ) as k
    ), '{}')
  )
  from public.interviews as i where i.id = $1
$$;

-- As before, but no post of a contribution that the team has rejected waits for an answer: its mails and reminders are
-- not sent either. And one whose posts were all taken down again is not published, whatever the desk has noted.
create or replace function private.own_state(item private.desk_items) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when coalesce(bool_or(p.state = 'in_review'), false) and item.state <> 'rejected' then 'waiting'
    when coalesce(bool_or(p.state = 'published'), false) or (item.state = 'published' and not (
      coalesce(bool_and(p.state = 'declined'), false) and private.own_links(item) = '[]'
    )) then 'published'
    when not item.finished then 'unfinished'
    when item.state in ('rejected', 'published') then 'closed'
    when item.state <> 'new' or count(*) > 0 then 'in_progress'
    else 'received'
  end
  from public.posts as p where p.interview_id = item.interview_id
$$;
