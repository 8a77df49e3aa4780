-- Reviews: one link a contribution opens its posts to the contributor, without a login. The review key travels in the
-- header x-review-key; the database keeps its sha256 alone, as of the interview key (D9).

create table private.review_links (
  id bigint generated always as identity primary key,
  interview_id bigint not null references public.interviews (id) on delete cascade,
  key_hash bytea not null,
  created_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '30 days',
  revoked_at timestamptz,
  first_opened_at timestamptz,
  constraint review_links_key_hash_key unique (key_hash),
  constraint review_links_key_hash_length check (length(key_hash) = 32)
);
-- One link a contribution counts; a new one revokes the one before.
create unique index review_links_interview_id_idx on private.review_links (interview_id) where revoked_at is null;

-- Appended, never changed: the newest one about the version that was sent counts.
create table public.review_answers (
  id bigint generated always as identity primary key,
  post_id bigint not null,
  version integer not null,
  -- withdraw: about a post that is published already.
  answer text not null,
  comment text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  constraint review_answers_version_fkey foreign key (post_id, version)
    references public.post_versions (post_id, version) on delete cascade,
  constraint review_answers_answer_known check (answer in ('approve', 'change', 'decline', 'withdraw')),
  constraint review_answers_comment_length check (length(comment) <= 5000),
  constraint review_answers_comment_of_change check (answer <> 'change' or btrim(comment, E' \t\r\n') <> '')
);
create index review_answers_post_id_idx on public.review_answers (post_id, version, id);

create function private.on_answer_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  raise insufficient_privilege using message = 'an answer is never changed';
end
$$;
create trigger on_answer_change before update on public.review_answers
  for each row execute function private.on_answer_change();

alter table private.review_links enable row level security;
alter table public.review_answers enable row level security;
revoke all on private.review_links from public, anon, authenticated, service_role;
revoke all on public.review_answers from anon, authenticated, service_role;
revoke all on sequence public.review_answers_id_seq from public, anon, authenticated, service_role;
grant select on public.review_answers to authenticated, service_role;

create policy "answers are read with their post" on public.review_answers for select to authenticated
  using (exists (select from public.posts as p where p.id = review_answers.post_id));

-- For the team --------------------------------------------------------------------------------------------------------

-- The answers in order; the link that counts, null where there is none.
create function public.desk_posts(contribution bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_posts');
  return jsonb_build_object(
    'posts', coalesce((
      select jsonb_agg(private.desk_post(p) || jsonb_build_object('answers', coalesce((
        select jsonb_agg(jsonb_build_object(
          'version', a.version, 'answer', a.answer, 'comment', a.comment, 'at', a.created_at
        ) order by a.id)
        from public.review_answers as a where a.post_id = p.id
      ), '[]')) order by p.id)
      from public.posts as p where p.interview_id = contribution
    ), '[]'),
    'link', (
      select jsonb_build_object('createdAt', l.created_at, 'expiresAt', l.expires_at, 'firstOpenedAt', l.first_opened_at)
      from private.review_links as l
      where l.interview_id = contribution and l.revoked_at is null and l.expires_at > now()
    )
  );
end
$$;

create function private.revoke_review_link(contribution bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  update private.review_links as l set revoked_at = now() where l.interview_id = $1 and l.revoked_at is null
$$;

-- Puts one post into review. A reader who hears it needs an alternative text of each picture.
create function private.send_post(contribution bigint, id bigint, version integer) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  post public.posts := private.lock_post(id, version);
  draft public.post_versions;
begin
  if post.interview_id <> contribution then perform private.desk_refuse('posts: of another contribution'); end if;
  select * into draft from public.post_versions as v where v.post_id = post.id and v.version = post.version;
  if btrim(draft.body, E' \t\r\n') = '' then perform private.desk_refuse('posts: empty'); end if;
  if exists (
    select from jsonb_array_elements(draft.pictures) as p
    where (p ->> 'used')::boolean and btrim(p ->> 'alt', E' \t\r\n') = ''
  ) then perform private.desk_refuse('posts: a picture without alternative text'); end if;
  update public.posts as p set state = 'in_review', sent_version = p.version, changed_at = clock_timestamp()
  where p.id = post.id;
  perform private.note_post(contribution, 'post_state', jsonb_build_object(
    'post', post.id, 'version', post.version, 'from', post.state, 'to', 'in_review'
  ), auth.uid());
end
$$;

-- Sends drafts for review, [{id, version}], under a new link: its key is made by the server, which hands over the sha256
-- in hex. Without posts it renews the link alone.
create function public.desk_review_send(contribution bigint, posts jsonb, key_hash text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  one record;
begin
  perform private.desk_admit('desk_review_send');
  if key_hash is null or key_hash !~ '^[0-9a-f]{64}$' then perform private.desk_refuse('key_hash'); end if;
  perform private.lock_contribution(contribution);
  for one in
    select (p ->> 'id')::bigint as id, (p ->> 'version')::integer as version from jsonb_array_elements(posts) as p order by 1
  loop
    perform private.send_post(contribution, one.id, one.version);
  end loop;
  if not exists (select from public.posts as p where p.interview_id = contribution and p.sent_version is not null) then
    perform private.desk_refuse('posts: none');
  end if;
  perform private.revoke_review_link(contribution);
  insert into private.review_links (interview_id, key_hash, created_by) values ($1, decode($3, 'hex'), auth.uid());
  perform private.note_post(contribution, 'review_link', '{"valid": true}', auth.uid());
  return public.desk_posts(contribution);
end
$$;

create function public.desk_review_revoke(contribution bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_review_revoke');
  perform private.lock_contribution(contribution);
  perform private.revoke_review_link(contribution);
  perform private.note_post(contribution, 'review_link', '{"valid": false}', auth.uid());
end
$$;

-- For the contributor -------------------------------------------------------------------------------------------------

-- Anything that cannot hold 256 bits counts as no key.
create function private.review_key_hash() returns bytea
language sql stable set search_path = ''
as $$
  select sha256(convert_to(key, 'UTF8'))
  from (select nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-review-key') as headers (key)
  where key ~ '^[A-Za-z0-9_-]{43,128}$'
$$;

-- Locks the contribution that the caller's key opens. Unknown, expired, revoked and erased look alike.
create function private.admit_reviewer() returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  opened bigint;
begin
  -- Twice: the link may be revoked while the lock is waited for.
  for attempt in 1..2 loop
    select l.interview_id into opened from private.review_links as l
    where l.key_hash = private.review_key_hash() and l.revoked_at is null and l.expires_at > now();
    if not found then raise sqlstate 'PT404' using message = 'no such review'; end if;
    perform private.lock_contribution(opened);
  end loop;
  return opened;
end
$$;

-- What the contributor sees: the text that was sent, also while the team works on another one, and the own material, on
-- which it rests.
create function private.review(contribution bigint) returns jsonb
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
          from public.review_answers as a where a.post_id = p.id and a.version = p.sent_version order by a.id desc limit 1
        )
      ) order by p.id)
      from public.posts as p join public.post_versions as v on v.post_id = p.id and v.version = p.sent_version
      where p.interview_id = i.id
    ), '[]')
  )
  from public.interviews as i where i.id = $1
$$;

-- Opening answers nothing.
create function public.review_open() returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint := private.admit_reviewer();
begin
  update private.review_links as l set first_opened_at = now()
  where l.interview_id = contribution and l.revoked_at is null and l.first_opened_at is null;
  return private.review(contribution);
end
$$;

-- The post as it was sent; PT404 where it is of another contribution or was never sent.
create function private.reviewed_post(contribution bigint, id bigint) returns public.posts
language plpgsql stable security definer set search_path = ''
as $$
declare
  post public.posts;
begin
  select * into post from public.posts as p where p.id = $2 and p.interview_id = $1 and p.sent_version is not null;
  if not found then raise sqlstate 'PT404' using message = 'no such post'; end if;
  return post;
end
$$;

create function private.append_answer(post public.posts, answer text, comment text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  -- Ends what a link alone could fill the disk with.
  if (select count(*) from public.review_answers as a where a.post_id = post.id) >= 200 then
    perform private.refuse(429, 'too_many_answers', 'Too many answers about this post');
  end if;
  insert into public.review_answers (post_id, version, answer, comment) values (post.id, post.sent_version, $2, $3);
end
$$;

-- recorded: it counts. outdated: another text is there or will be. closed: published, or stopped by the team. The same
-- answer again changes nothing, so it may be repeated.
create function public.review_answer(post bigint, version integer, answer text, comment text default '') returns jsonb
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
  select * into last from public.review_answers as a
  where a.post_id = there.id and a.version = there.sent_version order by a.id desc limit 1;
  if there.state = 'published' or (there.state = 'declined' and last.answer is distinct from 'decline') then
    outcome := 'closed';
  elsif there.state = 'draft' or version is distinct from there.sent_version then
    outcome := 'outdated';
  elsif (last.answer, last.comment) is distinct from (answer, comment) then
    perform private.append_answer(there, answer, comment);
    update public.posts as p set state = wanted, changed_at = clock_timestamp() where p.id = there.id;
    perform private.note_post(contribution, 'post_state', jsonb_build_object(
      'post', there.id, 'version', there.version, 'from', there.state, 'to', wanted
    ), null);
  end if;
  return jsonb_build_object('outcome', outcome, 'review', private.review(contribution));
end
$$;

-- The contributor takes back the consent to a post that is published: it stays so until the team has taken it down.
create function public.review_withdraw(post bigint, comment text default '') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint := private.admit_reviewer();
  there public.posts := private.reviewed_post(contribution, post);
begin
  if there.state = 'published' and there.withdrawn_at is null then
    perform private.append_answer(there, 'withdraw', comment);
    update public.posts as p set withdrawn_at = now(), changed_at = clock_timestamp() where p.id = there.id;
    perform private.note_post(contribution, 'post', jsonb_build_object('post', there.id, 'withdrawn', true), null);
  end if;
  return jsonb_build_object(
    'outcome', case there.state when 'published' then 'recorded' else 'closed' end, 'review', private.review(contribution)
  );
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function
  public.desk_posts(bigint), public.desk_review_send(bigint, jsonb, text), public.desk_review_revoke(bigint),
  public.review_open(), public.review_answer(bigint, integer, text, text), public.review_withdraw(bigint, text)
  from public, anon, authenticated, service_role;
-- Each looks itself whether an admin asks.
grant execute on function
  public.desk_posts(bigint), public.desk_review_send(bigint, jsonb, text), public.desk_review_revoke(bigint)
  to authenticated;
-- Each looks itself which contribution the key opens.
grant execute on function
  public.review_open(), public.review_answer(bigint, integer, text, text), public.review_withdraw(bigint, text)
  to anon, authenticated;
