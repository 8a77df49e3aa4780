-- The lists tell how many published posts were withdrawn: each has to be taken out of its channel. Before, only the mail
-- about it and the contribution itself said so. As before otherwise.
create or replace function private.desk_lines(ids bigint[], words tsquery) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'contributorEmail', coalesce(i.contact_email, i.user_email),
    'createdAt', d.created_at, 'changedAt', d.changed_at,
    'state', d.state, 'finished', d.finished, 'files', d.files,
    'assignee', d.assignee, 'assigneeEmail', case when d.assignee is not null then coalesce(a.email, '') end,
    'version', d.version,
    'excerpt', private.desk_excerpt(i.transcript, i.w_questions_answers, words, (select private.desk_patterns(words))),
    'posts', (
      select case when count(*) > 0 then jsonb_build_object(
        -- The time of a withdrawal stays with a post that the team then works on again.
        'approved', count(*) filter (where p.state = 'approved' or (p.state = 'published' and p.withdrawn_at is null)),
        'changes', count(*) filter (where p.state = 'changes_requested'),
        'withdrawn', count(*) filter (where p.state = 'published' and p.withdrawn_at is not null), 'total', count(*)
      ) end
      from public.posts as p where p.interview_id = d.interview_id and p.state <> 'declined'
    )
  ) order by wanted.place), '[]')
  from unnest(ids) with ordinality as wanted (id, place)
  join private.desk_items as d on d.interview_id = wanted.id
  join public.interviews as i on i.id = d.interview_id
  left join auth.users as a on a.id = d.assignee
$$;
