-- Posts: what the team makes of a contribution. A post is one text for one channel, with its pictures; each save makes a
-- version, and no version is ever changed. What the contributor answers is in the next file.

-- Tables --------------------------------------------------------------------------------------------------------------

-- The order of the pictures, their alternative texts, and which of them the post uses.
create function private.is_post_pictures(pictures jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select jsonb_typeof(pictures) = 'array' and (
    select count(*) <= 50 and coalesce(bool_and(case jsonb_typeof(picture) when 'object' then
      (picture - array['upload', 'alt', 'used'] = '{}' and jsonb_typeof(picture -> 'upload') = 'number'
        and jsonb_typeof(picture -> 'alt') = 'string' and length(picture ->> 'alt') <= 1000
        and jsonb_typeof(picture -> 'used') = 'boolean') is true
      else false end), true)
    from jsonb_array_elements(case jsonb_typeof(pictures) when 'array' then pictures else '[]' end) as picture
  )
$$;

create table public.posts (
  id bigint generated always as identity primary key,
  interview_id bigint not null references public.interviews (id) on delete cascade,
  -- One that the contract knows; another one is shown as it is.
  channel text not null,
  state text not null default 'draft',
  -- The newest version; a save names the one it was made from.
  version integer not null default 1,
  -- The version that was last sent for review; null: none ever was.
  sent_version integer,
  published_url text,
  published_at timestamptz,
  -- When the contributor asked to take a published post down.
  withdrawn_at timestamptz,
  created_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  constraint posts_channel_form check (channel ~ '^[a-z][a-z0-9-]{0,39}$'),
  constraint posts_state_known check (
    state in ('draft', 'in_review', 'approved', 'changes_requested', 'declined', 'published')
  ),
  constraint posts_sent_version_range check (sent_version between 1 and version),
  -- What is in review, approved or published is the text that was sent.
  constraint posts_state_of_sent check (state in ('draft', 'declined') or sent_version is not distinct from version),
  constraint posts_published_at_known check (state <> 'published' or published_at is not null),
  constraint posts_published_url_form check (
    length(published_url) <= 2000 and published_url ~* '^https?://[^\s/?#<>"]+[^\s<>"]*$'
  )
);
create index posts_interview_id_idx on public.posts (interview_id, id);

create table public.post_versions (
  post_id bigint not null references public.posts (id) on delete cascade,
  version integer not null,
  body text not null,
  pictures jsonb not null default '[]',
  origin text not null default 'person',
  -- Which model wrote it.
  model text,
  created_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  primary key (post_id, version),
  constraint post_versions_version_range check (version >= 1),
  constraint post_versions_body_length check (length(body) <= 50000),
  constraint post_versions_pictures_form check (private.is_post_pictures(pictures)),
  constraint post_versions_origin_known check (origin in ('person', 'model')),
  constraint post_versions_model_form check ((origin = 'model') = (model is not null) and length(model) <= 200)
);

-- The account of an author may go; nothing else of a version ever changes.
create function private.on_version_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  raise insufficient_privilege using message = 'a version of a post is never changed';
end
$$;
create trigger on_version_change before update on public.post_versions
  for each row when (
    new.created_by is not null
    or (new.post_id, new.version, new.body, new.pictures, new.origin, new.model, new.created_at)
      is distinct from (old.post_id, old.version, old.body, old.pictures, old.origin, old.model, old.created_at)
  )
  execute function private.on_version_change();

-- States --------------------------------------------------------------------------------------------------------------

-- Which state follows which, whoever changes it; src/contract/posts.ts has the same table. A new version is a draft.
create function private.is_post_move(before text, after text) returns boolean
language sql immutable set search_path = ''
as $$
  select (before, after) in (
    ('draft', 'in_review'), ('draft', 'declined'),
    ('in_review', 'draft'), ('in_review', 'approved'), ('in_review', 'changes_requested'), ('in_review', 'declined'),
    ('approved', 'draft'), ('approved', 'changes_requested'), ('approved', 'declined'), ('approved', 'published'),
    ('changes_requested', 'draft'), ('changes_requested', 'approved'), ('changes_requested', 'declined'),
    ('declined', 'draft'), ('declined', 'approved'), ('declined', 'changes_requested'),
    ('published', 'declined')
  )
$$;

create function private.on_post_state() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if private.is_post_move(old.state, new.state) then return new; end if;
  raise invalid_parameter_value using message = format('state: %s to %s', old.state, new.state);
end
$$;
create trigger on_post_state before update of state on public.posts
  for each row when (new.state is distinct from old.state)
  execute function private.on_post_state();

-- Rights --------------------------------------------------------------------------------------------------------------

-- Functions alone write, for the service too: so a version stays as it is, and the audit log has each change.
alter table public.posts enable row level security;
alter table public.post_versions enable row level security;
revoke all on public.posts, public.post_versions from anon, authenticated, service_role;
revoke all on sequence public.posts_id_seq from public, anon, authenticated, service_role;
grant select on public.posts, public.post_versions to authenticated, service_role;

create policy "admins read all posts" on public.posts for select to authenticated
  using ((select private.is_admin()));
-- What the team still works on is not shown to the contributor.
create policy "members read posts sent to them" on public.posts for select to authenticated
  using (
    sent_version is not null
    and interview_id in (select id from public.interviews where user_id = (select private.member_id()))
  );
create policy "admins read all versions" on public.post_versions for select to authenticated
  using ((select private.is_admin()));
create policy "members read the version sent to them" on public.post_versions for select to authenticated
  using (
    exists (select from public.posts as p where p.id = post_versions.post_id and p.sent_version = post_versions.version)
  );

-- The audit log -------------------------------------------------------------------------------------------------------

create or replace function private.is_audit_detail(detail jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  select coalesce(bool_and(
    key ~ '^[a-z][A-Za-z_]{0,39}$' and case jsonb_typeof(value)
      when 'string' then value #>> '{}' in (
          'new', 'in_progress', 'for_review', 'published', 'rejected',
          'draft', 'in_review', 'approved', 'changes_requested', 'declined'
        )
        or value #>> '{}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      else jsonb_typeof(value) in ('number', 'boolean', 'null')
    end
  ), true)
  from jsonb_each(detail)
$$;

alter table public.desk_audit_log drop constraint desk_audit_log_what_known;
alter table public.desk_audit_log add constraint desk_audit_log_what_known check (what in (
  'archive', 'assignment', 'dossier', 'erasure', 'export', 'file', 'note', 'person', 'post', 'post_state', 'retention',
  'review_link', 'state', 'view'
));

-- Writes down a change of a post, and tells open lists of it. `by` is null where the contributor did it: the log
-- outlives the person.
create function private.note_post(contribution bigint, what text, detail jsonb, by uuid) returns void
language sql volatile security definer set search_path = ''
as $$
  update private.desk_items as d set changed_at = clock_timestamp() where d.interview_id = $1;
  insert into public.desk_audit_log (by, interview_id, what, detail) values ($4, $1, $2, $3)
$$;

-- Working on posts ----------------------------------------------------------------------------------------------------

-- The contribution first, as its erasure does, then its line: whoever works on its posts comes one after the other.
create function private.lock_contribution(contribution bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform from public.interviews as i where i.id = $1 for key share;
  perform from private.desk_items as d where d.interview_id = $1 for update;
  if not found then raise sqlstate 'PT404' using message = 'no such contribution'; end if;
end
$$;

-- The post as it is now, for a change that was made from this version.
create function private.lock_post(id bigint, version integer) returns public.posts
language plpgsql volatile security definer set search_path = ''
as $$
declare
  post public.posts;
begin
  perform private.lock_contribution((select p.interview_id from public.posts as p where p.id = $1));
  select * into post from public.posts as p where p.id = $1;
  if post.version is distinct from $2 then raise sqlstate 'PT409' using message = 'the post was changed meanwhile'; end if;
  return post;
end
$$;

create function private.write_version(post public.posts, body text, pictures jsonb, origin text, model text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  insert into public.post_versions (post_id, version, body, pictures, origin, model, created_by)
  values (post.id, post.version, $2, $3, $4, $5, auth.uid());
  if exists (
    select from jsonb_array_elements(pictures) as p where not exists (
      select from public.media_uploads as m where m.id = (p ->> 'upload')::numeric and m.interview_id = post.interview_id
    )
  ) then perform private.desk_refuse('pictures: no such upload'); end if;
  perform private.note_post(
    post.interview_id, 'post', jsonb_build_object('post', post.id, 'version', post.version), auth.uid()
  );
end
$$;

create function private.post_version(post bigint, version integer) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'version', v.version, 'body', v.body, 'pictures', v.pictures, 'origin', v.origin, 'model', v.model,
    'by', v.created_by, 'at', v.created_at
  )
  from public.post_versions as v where v.post_id = $1 and v.version = $2
$$;

create function private.desk_post(post public.posts) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'id', post.id, 'contribution', post.interview_id, 'channel', post.channel, 'state', post.state,
    'version', post.version, 'sentVersion', post.sent_version, 'publishedUrl', post.published_url,
    'publishedAt', post.published_at, 'withdrawnAt', post.withdrawn_at, 'createdAt', post.created_at,
    'changedAt', post.changed_at, 'current', private.post_version(post.id, post.version)
  )
$$;

create function public.desk_post_add(
  contribution bigint, channel text, body text, pictures jsonb default '[]', origin text default 'person',
  model text default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  post public.posts;
begin
  perform private.desk_admit('desk_post_add');
  perform private.lock_contribution(contribution);
  insert into public.posts (interview_id, channel, created_by) values ($1, $2, auth.uid()) returning * into post;
  perform private.write_version(post, body, pictures, origin, model);
  return private.desk_post(post);
end
$$;

-- Makes a version out of the one the caller saw; PT409 where there is a later one already.
create function public.desk_post_save(
  id bigint, version integer, body text, pictures jsonb default '[]', origin text default 'person',
  model text default null
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  post public.posts;
begin
  perform private.desk_admit('desk_post_save');
  post := private.lock_post(id, version);
  update public.posts as p set version = p.version + 1, state = 'draft', changed_at = clock_timestamp()
  where p.id = post.id returning * into post;
  perform private.write_version(post, body, pictures, origin, model);
  return private.desk_post(post);
end
$$;

-- What the team decides by itself: back to the draft, stopped, published. The rest belongs to a review.
create function public.desk_post_move(id bigint, version integer, state text, url text default null) returns jsonb
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
    withdrawn_at = before.withdrawn_at
  where p.id = before.id returning * into post;
  perform private.note_post(post.interview_id, 'post_state', jsonb_build_object(
    'post', post.id, 'version', post.version, 'from', before.state, 'to', post.state
  ), auth.uid());
  return private.desk_post(post);
end
$$;

-- A post that the contributor has never seen; one that was sent is stopped instead.
create function public.desk_post_remove(id bigint, version integer) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  post public.posts;
begin
  perform private.desk_admit('desk_post_remove');
  post := private.lock_post(id, version);
  if post.sent_version is not null then perform private.desk_refuse('post: was sent for review'); end if;
  delete from public.posts as p where p.id = post.id;
  perform private.note_post(post.interview_id, 'post', jsonb_build_object('post', post.id, 'removed', true), auth.uid());
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function
  public.desk_post_add(bigint, text, text, jsonb, text, text), public.desk_post_save(bigint, integer, text, jsonb, text, text),
  public.desk_post_move(bigint, integer, text, text), public.desk_post_remove(bigint, integer)
  from public, anon, authenticated, service_role;
-- Each looks itself whether an admin asks.
grant execute on function
  public.desk_post_add(bigint, text, text, jsonb, text, text), public.desk_post_save(bigint, integer, text, jsonb, text, text),
  public.desk_post_move(bigint, integer, text, text), public.desk_post_remove(bigint, integer)
  to authenticated;
