-- A stop by the team stays one. Before, a post that the contributor had declined, and that the team took up and stopped
-- after that, counted as declined by the contributor, who could still approve it. And an answer counts again where the
-- team has moved the post since: one that was taken back and sent again unchanged stayed in review, because the same
-- answer about this version was there already.

-- Whether the team was the last to decline it.
alter table public.posts add column stopped boolean not null default false;
update public.posts as p set stopped = true
where p.state = 'declined' and 'decline' is distinct from (
  select a.answer from public.review_answers as a where a.post_id = p.id and a.version = p.sent_version
  order by a.id desc limit 1
);

-- What the team decides by itself: back to the draft, stopped, published. The rest belongs to a review.
create or replace function public.desk_post_move(id bigint, version integer, state text, url text default null) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  before public.posts;
  post public.posts;
begin
  perform private.desk_admit('desk_post_move');
  if state is null or state not in ('draft', 'declined', 'published') or (url is not null and state <> 'published') then
    perform private.desk_refuse('state');
  end if;
  before := private.lock_post(id, version);
  if state = 'published' and before.state <> 'published' then
    before.published_at := now();
    before.published_url := null;
    before.withdrawn_at := null;
  end if;
  update public.posts as p set state = desk_post_move.state, changed_at = clock_timestamp(),
    published_url = coalesce(url, before.published_url), published_at = before.published_at,
    withdrawn_at = before.withdrawn_at, stopped = desk_post_move.state = 'declined'
  where p.id = before.id returning * into post;
  perform private.note_post(post.interview_id, 'post_state', jsonb_build_object(
    'post', post.id, 'version', post.version, 'from', before.state, 'to', post.state
  ), auth.uid());
  return private.desk_post(post);
end
$$;

-- What the contributor sees: the text that was sent, also while the team works on another one, and the own material, on
-- which it rests. An answer that the team's stop has overtaken is not shown.
create or replace function private.review(contribution bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'firstName', coalesce(i.contact_first_name, ''),
    'sources', jsonb_build_object('transcript', coalesce(i.transcript, ''), 'answers', coalesce(i.w_questions_answers, '{}')),
    'posts', coalesce((
      select jsonb_agg(jsonb_build_object(
        'id', p.id, 'channel', p.channel, 'state', p.state, 'version', p.sent_version, 'body', v.body,
        'pictures', coalesce((
          select jsonb_agg(jsonb_build_object('path', m.file_path, 'type', m.file_type, 'alt', used.picture ->> 'alt') order by used.place)
          from jsonb_array_elements(v.pictures) with ordinality as used (picture, place)
          join public.media_uploads as m on m.id = (used.picture ->> 'upload')::numeric
          where (used.picture ->> 'used')::boolean
        ), '[]'),
        'publishedUrl', p.published_url, 'publishedAt', p.published_at, 'withdrawnAt', p.withdrawn_at,
        'answer', (
          select jsonb_build_object('answer', a.answer, 'comment', a.comment, 'at', a.created_at)
          from public.review_answers as a
          where a.post_id = p.id and a.version = p.sent_version and not (p.state = 'declined' and p.stopped)
          order by a.id desc limit 1
        )
      ) order by p.id)
      from public.posts as p join public.post_versions as v on v.post_id = p.id and v.version = p.sent_version
      where p.interview_id = i.id
    ), '[]')
  )
  from public.interviews as i where i.id = $1
$$;

-- recorded: it counts. outdated: another text is there or will be. closed: published, or stopped by the team. The same
-- answer changes nothing while it still counts, so it may be repeated.
create or replace function public.review_answer(post bigint, version integer, answer text, comment text default '') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint := private.admit_reviewer();
  there public.posts := private.reviewed_post(contribution, post);
  wanted text := case answer when 'approve' then 'approved' when 'change' then 'changes_requested' when 'decline' then 'declined' end;
  last public.review_answers;
  outcome text := 'recorded';
begin
  if wanted is null then perform private.desk_refuse('answer'); end if;
  select * into last from public.review_answers as a where a.post_id = there.id order by a.id desc limit 1;
  if there.state = 'published' or (there.state = 'declined' and there.stopped) then
    outcome := 'closed';
  elsif there.state = 'draft' or version is distinct from there.sent_version then
    outcome := 'outdated';
  elsif (last.answer, last.comment, there.state) is distinct from (answer, comment, wanted) then
    perform private.append_answer(there, answer, comment);
    update public.posts as p set state = wanted, stopped = false, changed_at = clock_timestamp() where p.id = there.id;
    perform private.note_post(contribution, 'post_state', jsonb_build_object(
      'post', there.id, 'version', there.version, 'from', there.state, 'to', wanted
    ), null);
  end if;
  return jsonb_build_object('outcome', outcome, 'review', private.review(contribution));
end
$$;
