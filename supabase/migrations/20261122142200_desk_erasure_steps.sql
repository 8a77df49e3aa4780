-- The steps of an erasure, for the server that does it. Each can be repeated.

-- Takes an erasure on, for a while: this one, or the oldest that no server works on.
create function public.desk_erasure_claim(erasure uuid default null) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds'
  where id = (
    select id from private.erasures
    where claimed_until < clock_timestamp() and id = coalesce(erasure, id) order by at limit 1 for update skip locked
  )
  returning * into wanted;
  return jsonb_build_object(
    'claimed', case when wanted.id is not null then jsonb_build_object('id', wanted.id, 'email', wanted.email, 'account', wanted.account) end,
    'open', (select count(*) from private.erasures)
  );
end
$$;

-- Gives it back, so that it is tried again.
create function public.desk_erasure_release(erasure uuid) returns void
language sql security definer set search_path = ''
as $$
  update private.erasures set claimed_until = clock_timestamp() where id = erasure
$$;

-- The next contribution to go; null: none is left.
create function public.desk_erasure_next(erasure uuid) returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds' where id = erasure returning * into wanted;
  return case wanted.what
    when 'person' then (select id from private.contributions_of(wanted.email) as id order by id limit 1)
    when 'retention' then (select id from private.retained_until(wanted.before) as id order by id limit 1)
    else (
      select wanted.contribution
      where not exists (select from private.erased_contributions where interview_id = wanted.contribution and at >= wanted.at)
    )
  end;
end
$$;

-- By their message_id mails about a contribution are found among the files of those that were written.
create function public.desk_erasure_letters(contribution bigint) returns uuid[]
language sql stable security definer set search_path = ''
as $$
  select array(select m.message_id from private.desk_mails as m where m.interview_id = $1)
$$;

-- Counts what goes, once, and answers the paths of stored files that are (still) there; `mails` were found by the
-- server.
create function public.desk_erasure_begin(erasure uuid, contribution bigint, mails bigint) returns text[]
language plpgsql security definer set search_path = ''
as $$
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds' where id = $1;
  insert into private.erasure_counts (erasure, contribution, files, turns, feedback, events, mails)
  values (
    $1, $2,
    (select count(*) from (
      select file_path from public.media_uploads as m where m.interview_id = $2 union select private.files_of($2)
    ) as paths),
    (select count(*) from public.interview_turns as t where t.interview_id = $2),
    (select count(*) from public.feedback as f where f.interview_id = $2),
    (select count(*) from private.desk_events as e where e.interview_id = $2),
    $3 + (select count(*) from private.desk_mails as m where m.interview_id = $2 and m.state in ('waiting', 'claimed', 'sending'))
  ) on conflict do nothing;
  return array(select private.files_of($2) limit 500);
end
$$;

-- Everything in the database that belongs to a contribution. Its files have to be gone.
create function public.desk_erasure_rows(contribution bigint) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.erased_letters (message_id)
  select m.message_id from private.desk_mails as m where m.interview_id = $1
  on conflict (message_id) do update set at = excluded.at;
  delete from public.interviews as i where i.id = $1;
  delete from private.interview_keys as k where k.interview_id = $1;
  delete from private.desk_stale as s where s.interview_id = $1;
  insert into private.erased_contributions (interview_id) values ($1)
  on conflict (interview_id) do update set at = excluded.at;
end
$$;

-- Counts what belongs to a person and to no contribution. The authentication service deletes the account itself; its
-- own records of the account go afterwards, in desk_erasure_person.
create function public.desk_erasure_begin_person(erasure uuid, mails bigint) returns void
language sql security definer set search_path = ''
as $$
  insert into private.erasure_counts (erasure, contribution, mails, accounts)
  select e.id, 0,
    $2 + (select count(*) from private.mails_of('{}', e.email, e.account) as m where m.state in ('waiting', 'claimed', 'sending')),
    (select count(*) from auth.users as u where u.id = e.account)
  from private.erasures as e where e.id = $1
  on conflict do nothing
$$;

create function public.desk_erasure_person(erasure uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
  gone text;
begin
  select * into wanted from private.erasures as e where e.id = $1;
  gone := wanted.account::text;
  delete from private.desk_mails as m where m.id in (select o.id from private.mails_of('{}', wanted.email, wanted.account) as o);
  delete from private.desk_tickets where owner = wanted.account;
  delete from private.voice_tickets where owner = gone;
  delete from private.voice_sessions where subject = gone;
  delete from private.voice_minutes where subject = gone;
  delete from auth.audit_log_entries
  where payload ->> 'actor_id' = gone or payload ->> 'user_id' = gone or payload -> 'traits' ->> 'user_id' = gone;
exception when insufficient_privilege then
  -- A hosted project keeps these to itself.
  null;
end
$$;

-- Samples of erased values lie in the planner's statistics: until the next look at a table, and of one that is empty
-- now for ever. They are taken anew, and where the database can, dropped before.
create function public.desk_erasure_forget(erasure uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  relation regclass;
  place record;
begin
  foreach relation in array array[
    'public.interviews', 'public.interview_turns', 'public.media_uploads', 'private.desk_items', 'private.desk_events',
    'private.desk_search', 'private.erasures'
  ]::regclass[] || case
    when (select e.account from private.erasures as e where e.id = $1) is null then '{}'
    else array['auth.users', 'auth.identities', 'auth.sessions', 'auth.audit_log_entries']::regclass[]
  end loop
    begin
      for place in
        select n.nspname, c.relname, a.attname
        from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where to_regprocedure('pg_catalog.pg_clear_attribute_stats(text, text, text, boolean)') is not null
          and (c.oid = relation or c.oid in (select indexrelid from pg_catalog.pg_index where indrelid = relation))
      loop
        execute 'select pg_catalog.pg_clear_attribute_stats($1, $2, $3, false)' using place.nspname, place.relname, place.attname;
      end loop;
      execute format('analyze %s', relation);
    exception when insufficient_privilege then
      -- A hosted project looks after its own tables.
      null;
    end;
  end loop;
end
$$;

-- The receipt, and with it the end: nothing is left of the request.
create function public.desk_erasure_finish(erasure uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  receipt private.erasure_receipts;
begin
  insert into private.erasure_receipts
  select e.id, clock_timestamp(), e.by, e.what, count(*) filter (where c.contribution > 0), coalesce(sum(c.files), 0),
    coalesce(sum(c.turns), 0), coalesce(sum(c.feedback), 0), coalesce(sum(c.events), 0), coalesce(sum(c.mails), 0),
    coalesce(sum(c.accounts), 0)
  from private.erasures as e left join private.erasure_counts as c on c.erasure = e.id
  where e.id = $1 group by e.id
  on conflict do nothing;
  delete from private.erasures where id = $1;
  select * into receipt from private.erasure_receipts where id = $1;
  return to_jsonb(receipt);
end
$$;

-- Stored files that came in after their contribution was erased.
create function public.desk_erasure_stragglers() returns text[]
language plpgsql security definer set search_path = ''
as $$
begin
  -- An upload goes on for a day at most.
  delete from private.erased_contributions where at < now() - interval '3 days';
  return array(
    select private.files_of(e.interview_id) from private.erased_contributions as e
    where not exists (select from public.interviews where id = e.interview_id) limit 500
  );
end
$$;

-- What mails must not be about any more.
create function public.desk_erasure_gone() returns jsonb
language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.erased_letters where at < now() - interval '3 days';
  return jsonb_build_object(
    'contributions', coalesce((
      select jsonb_agg(e.interview_id) from private.erased_contributions as e
      where not exists (select from public.interviews where id = e.interview_id)
    ), '[]'),
    'letters', coalesce((select jsonb_agg(l.message_id) from private.erased_letters as l), '[]')
  );
end
$$;

revoke execute on function
  public.desk_erasure_claim(uuid), public.desk_erasure_release(uuid), public.desk_erasure_next(uuid),
  public.desk_erasure_letters(bigint), public.desk_erasure_begin(uuid, bigint, bigint),
  public.desk_erasure_rows(bigint),
  public.desk_erasure_begin_person(uuid, bigint), public.desk_erasure_person(uuid), public.desk_erasure_forget(uuid),
  public.desk_erasure_finish(uuid), public.desk_erasure_stragglers(), public.desk_erasure_gone()
  from public, anon, authenticated, service_role;
grant execute on function
  public.desk_erasure_claim(uuid), public.desk_erasure_release(uuid), public.desk_erasure_next(uuid),
  public.desk_erasure_letters(bigint), public.desk_erasure_begin(uuid, bigint, bigint),
  public.desk_erasure_rows(bigint),
  public.desk_erasure_begin_person(uuid, bigint), public.desk_erasure_person(uuid), public.desk_erasure_forget(uuid),
  public.desk_erasure_finish(uuid), public.desk_erasure_stragglers(), public.desk_erasure_gone()
  to service_role;
