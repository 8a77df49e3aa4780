-- Who may do what: the matrix of security.md, as row-level security (D9, D10, D11).
--
-- Three kinds of authority, each one function below:
--   member   a login whose account has a role: works on what is its own
--   key      the header x-interview-key: works on what the key is bound to, login or not
--   admin    a member who besides sees everything
-- A login without a role (D14) has no more rights than no login at all.

-- Authority ---------------------------------------------------------------------------------------------------------

-- The caller's user id, if the account has a role.
create function private.member_id() returns uuid
language sql stable security definer set search_path = ''
as $$
  select user_id from public.user_roles where user_id = auth.uid()
$$;

create function private.is_admin() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (select from public.user_roles where user_id = auth.uid() and role = 'admin')
$$;

-- sha256 of the key the caller sent. Anything that cannot hold 256 bits counts as no key.
create function private.key_hash() returns bytea
language sql stable set search_path = ''
as $$
  select sha256(convert_to(key, 'UTF8'))
  from (select nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-interview-key') as headers (key)
  where key ~ '^[A-Za-z0-9_-]{43,128}$'
$$;

-- VOLATILE, here and below: a STABLE function looks at the snapshot of the statement, in which a binding made by that
-- very statement's trigger does not exist yet, and INSERT … RETURNING would be refused.
create function private.bound_interview_ids() returns setof bigint
language sql volatile security definer set search_path = ''
as $$
  select interview_id from private.interview_keys where key_hash = private.key_hash() and expires_at > now()
$$;

create function private.is_bound(id bigint) returns boolean
language sql volatile security definer set search_path = ''
as $$
  select exists (
    select from private.interview_keys
    where key_hash = private.key_hash() and interview_id = $1 and expires_at > now()
  )
$$;

-- Own or bound.
create function private.my_interview_ids() returns setof bigint
language sql volatile security definer set search_path = ''
as $$
  select private.bound_interview_ids()
  union
  select id from public.interviews where user_id = private.member_id()
$$;

-- Where files may be put: as above, but a key alone writes only until the contact details are saved ('Content
-- übermitteln', §2.11). completed_at does not count: §4 sets it with the transcript, before any picture is chosen.
create function private.writable_interview_ids() returns setof bigint
language sql volatile security definer set search_path = ''
as $$
  select id from public.interviews
  where id in (select private.my_interview_ids())
    and (contact_email is null or private.member_id() is not null)
$$;

-- Whether the database itself gave out this id in this transaction (D10).
create function private.is_issued(id bigint) returns boolean
language sql stable set search_path = ''
as $$
  select coalesce($1 = nullif(current_setting('interviews.issued_id', true), '')::bigint, false)
$$;

-- The interview a stored file belongs to: `{interviewId}/{file}`, one folder deep, no odd characters (§3); else null.
create function private.interview_of_path(path text) returns bigint
language sql immutable set search_path = ''
as $$
  select case
    when path ~ '^[1-9][0-9]{0,17}/[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$' then split_part(path, '/', 1)::bigint
  end
$$;

-- Settings ----------------------------------------------------------------------------------------------------------

-- For the operator: the embedded server calls it at its start, on a hosted backend it is run by hand.
create function private.configure(name text, value jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if name <> 'open_contributions' or jsonb_typeof(value) <> 'boolean' then
    raise invalid_parameter_value using message = format('no such setting: %s = %s', name, value);
  end if;
  insert into private.settings values (name, value) on conflict on constraint settings_pkey do update set value = excluded.value;
end
$$;

-- Interviews --------------------------------------------------------------------------------------------------------

-- Binds the caller's key to the id just given out. OPEN_CONTRIBUTIONS=false: without a login only a key that already
-- counts may bring in more.
create function private.bind_issued_interview() returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.interview_keys (key_hash, interview_id)
  select hash, issued
  from
    (select private.key_hash(), nullif(current_setting('interviews.issued_id', true), '')::bigint) as given (hash, issued)
  where hash is not null
    and issued is not null
    and (
      private.member_id() is not null
      or (select value from private.settings where name = 'open_contributions') = 'true'
      or exists (select private.bound_interview_ids())
    )
  on conflict do nothing
$$;

-- Owner and times are the database's to say. Whoever is past row-level security (service, owner) says them itself.
create function private.on_interview_insert() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if not row_security_active(tg_relid) then return new; end if;
  if private.is_issued(new.id) then
    perform private.bind_issued_interview();
  else
    -- D10: 'if it fails, insert a row with the id'. Where the caller may work on that row, its fields are merged into it;
    -- where it is gone but still bound, it is made again; else the policy refuses, whether the row exists or not.
    update public.interviews as there set
      completed_at = coalesce(new.completed_at, there.completed_at),
      transcript = coalesce(new.transcript, there.transcript),
      contact_first_name = coalesce(new.contact_first_name, there.contact_first_name),
      contact_last_name = coalesce(new.contact_last_name, there.contact_last_name),
      contact_email = coalesce(new.contact_email, there.contact_email),
      w_questions_answers = coalesce(new.w_questions_answers, there.w_questions_answers)
    where there.id = new.id;
    if found then return null; end if;
  end if;
  new.user_id := private.member_id();
  new.user_email := case when new.user_id is not null then auth.email() end;
  new.created_at := now();
  new.completed_at := case when new.completed_at is not null then now() end;
  return new;
end
$$;

create function private.on_interview_update() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if row_security_active(tg_relid) then new.completed_at := now(); end if;
  return new;
end
$$;

-- D9: keys end 24 h after the contact details were saved for the first time.
create function private.on_contact_saved() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update private.interview_keys
  set expires_at = now() + interval '24 hours'
  where interview_id = new.id and expires_at > now() + interval '24 hours';
  return null;
end
$$;

create trigger on_interview_insert before insert on public.interviews
  for each row execute function private.on_interview_insert();
create trigger on_interview_update before update of completed_at on public.interviews
  for each row when (new.completed_at is not null and new.completed_at is distinct from old.completed_at)
  execute function private.on_interview_update();
create trigger on_contact_saved after insert or update of contact_email on public.interviews
  for each row when (new.contact_email is not null)
  execute function private.on_contact_saved();

grant select, insert on public.interviews to anon, authenticated;
grant update (
  completed_at, transcript, contact_first_name, contact_last_name, contact_email, w_questions_answers
) on public.interviews to anon, authenticated;

-- anon has policies of its own, because 'or own, or admin' would cost it the index.
create policy "a key reads its interview" on public.interviews for select to anon
  using (id = any (array(select private.bound_interview_ids())));
create policy "a key starts an interview" on public.interviews for insert to anon
  with check (private.is_bound(id));
create policy "a key works on its interview" on public.interviews for update to anon
  using (id = any (array(select private.bound_interview_ids())));

create policy "members read their own or bound interviews" on public.interviews for select to authenticated
  using (user_id = (select private.member_id()) or id = any (array(select private.bound_interview_ids())));
create policy "members start interviews" on public.interviews for insert to authenticated
  with check ((private.is_issued(id) and user_id = (select private.member_id())) or private.is_bound(id));
create policy "members work on their own or bound interviews" on public.interviews for update to authenticated
  using (user_id = (select private.member_id()) or id = any (array(select private.bound_interview_ids())));
create policy "admins read all interviews" on public.interviews for select to authenticated
  using ((select private.is_admin()));

-- What hangs on an interview ----------------------------------------------------------------------------------------

-- created_at and id are nobody's to give.
grant select, insert (interview_id, file_path, file_type) on public.media_uploads to anon, authenticated;
grant select, insert (interview_id, conversation_id, position, speaker, content) on public.interview_turns to anon, authenticated;
grant select, insert (interview_id, conversation_id, event_id, score) on public.feedback to anon, authenticated;

create policy "a key reads its uploads" on public.media_uploads for select to anon
  using (interview_id = any (array(select private.my_interview_ids())));
create policy "members read their own or bound uploads" on public.media_uploads for select to authenticated
  using (interview_id in (select private.my_interview_ids()));
create policy "admins read all uploads" on public.media_uploads for select to authenticated
  using ((select private.is_admin()));
create policy "own or bound uploads are registered" on public.media_uploads for insert to anon, authenticated
  with check (interview_id in (select private.my_interview_ids()) and private.interview_of_path(file_path) = interview_id);

create policy "a key reads its turns" on public.interview_turns for select to anon
  using (interview_id = any (array(select private.my_interview_ids())));
create policy "members read their own or bound turns" on public.interview_turns for select to authenticated
  using (interview_id in (select private.my_interview_ids()));
create policy "admins read all turns" on public.interview_turns for select to authenticated
  using ((select private.is_admin()));
create policy "own or bound turns are logged" on public.interview_turns for insert to anon, authenticated
  with check (interview_id in (select private.my_interview_ids()));

create policy "a key reads its feedback" on public.feedback for select to anon
  using (interview_id = any (array(select private.my_interview_ids())));
create policy "members read their own or bound feedback" on public.feedback for select to authenticated
  using (interview_id in (select private.my_interview_ids()));
create policy "admins read all feedback" on public.feedback for select to authenticated
  using ((select private.is_admin()));
create policy "own or bound feedback is taken" on public.feedback for insert to anon, authenticated
  with check (interview_id in (select private.my_interview_ids()));

-- Roles -------------------------------------------------------------------------------------------------------------

grant select on public.user_roles to authenticated;
create policy "everybody reads the own role" on public.user_roles for select to authenticated
  using (user_id = (select auth.uid()));
create policy "admins read all roles" on public.user_roles for select to authenticated
  using ((select private.is_admin()));

-- Files -------------------------------------------------------------------------------------------------------------

create policy "everybody sees the bucket Media" on storage.buckets for select to anon, authenticated
  using (id = 'Media');

create policy "own or bound files are read" on storage.objects for select to anon, authenticated
  using (bucket_id = 'Media' and private.interview_of_path(name) in (select private.my_interview_ids()));
create policy "admins read all files" on storage.objects for select to authenticated
  using (bucket_id = 'Media' and (select private.is_admin()));
create policy "own or bound files are written" on storage.objects for insert to anon, authenticated
  with check (bucket_id = 'Media' and private.interview_of_path(name) in (select private.writable_interview_ids()));
create policy "own or bound files are overwritten" on storage.objects for update to anon, authenticated
  using (bucket_id = 'Media' and private.interview_of_path(name) in (select private.writable_interview_ids()));

-- Rights to call ----------------------------------------------------------------------------------------------------

grant all on public.interviews, public.media_uploads, public.user_roles, public.interview_turns, public.feedback to service_role;
grant usage on schema private to anon, authenticated, service_role;
revoke execute on all functions in schema private from public, anon, authenticated, service_role;
grant execute on function private.issue_interview_id() to anon, authenticated, service_role;
grant execute on function
  private.member_id(), private.is_admin(), private.bound_interview_ids(), private.is_bound(bigint),
  private.my_interview_ids(), private.writable_interview_ids(), private.is_issued(bigint),
  private.bind_issued_interview(), private.interview_of_path(text)
  to anon, authenticated;
