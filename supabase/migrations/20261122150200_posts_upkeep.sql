-- Posts in everything that knows all tables: the search, the statistics, erasure and its receipts, what is told about a
-- person. Functions of earlier files are replaced here with one part more each.

-- Search --------------------------------------------------------------------------------------------------------------

-- The newest text of each post counts with the words of its contribution.
create or replace function private.desk_index(ids bigint[]) returns void
language sql security definer set search_path = ''
as $$
  insert into private.desk_search (interview_id, words)
  select i.id,
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

-- Never makes a save fail: what goes wrong is mended later. Functions alone write posts, with their owner's privileges.
create function private.on_post_words() returns trigger
language plpgsql set search_path = ''
as $$
declare
  ids bigint[] := array(select distinct p.interview_id from public.posts as p join touched on touched.post_id = p.id);
begin
  perform private.desk_index(ids);
  return null;
exception when others then
  perform private.desk_mark_stale(ids, sqlstate);
  return null;
end
$$;
create trigger on_post_words after insert on public.post_versions
  referencing new table as touched for each statement execute function private.on_post_words();

create function private.on_post_delete() returns trigger
language plpgsql set search_path = ''
as $$
declare
  ids bigint[] := array(select distinct interview_id from touched);
begin
  perform private.desk_index(ids);
  return null;
exception when others then
  perform private.desk_mark_stale(ids, sqlstate);
  return null;
end
$$;
create trigger on_post_delete after delete on public.posts
  referencing old table as touched for each statement execute function private.on_post_delete();

-- Statistics ----------------------------------------------------------------------------------------------------------

-- How many posts of each channel are in each state. Row-level security shows both callers all of them.
create function public.admin_posts() returns table (channel text, state text, posts bigint)
language plpgsql stable set search_path = ''
as $$
begin
  if not private.is_admin() and auth.role() is distinct from 'service_role' then
    raise insufficient_privilege using message = 'permission denied for function admin_posts';
  end if;
  return query select p.channel, p.state, count(*) from public.posts as p group by p.channel, p.state order by 1, 2;
end
$$;

-- Erasure -------------------------------------------------------------------------------------------------------------

alter table private.erasure_counts add column posts bigint not null default 0;
alter table private.erasure_receipts add column posts bigint not null default 0;

-- Versions, answers and links go with their posts and contributions.
create or replace function public.desk_erasure_begin(erasure uuid, contribution bigint, mails bigint) returns text[]
language plpgsql security definer set search_path = ''
as $$
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds' where id = $1;
  insert into private.erasure_counts (erasure, contribution, files, turns, feedback, events, mails, posts)
  values (
    $1, $2,
    (select count(*) from (
      select file_path from public.media_uploads as m where m.interview_id = $2 union select private.files_of($2)
    ) as paths),
    (select count(*) from public.interview_turns as t where t.interview_id = $2),
    (select count(*) from public.feedback as f where f.interview_id = $2),
    (select count(*) from private.desk_events as e where e.interview_id = $2),
    $3 + (select count(*) from private.desk_mails as m where m.interview_id = $2 and m.state in ('waiting', 'claimed', 'sending')),
    (select count(*) from public.posts as p where p.interview_id = $2)
  ) on conflict do nothing;
  return array(select private.files_of($2) limit 500);
end
$$;

create or replace function public.desk_erasure_finish(erasure uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  receipt private.erasure_receipts;
begin
  insert into private.erasure_receipts
  select e.id, clock_timestamp(), e.by, e.what, count(*) filter (where c.contribution > 0), coalesce(sum(c.files), 0),
    coalesce(sum(c.turns), 0), coalesce(sum(c.feedback), 0), coalesce(sum(c.events), 0), coalesce(sum(c.mails), 0),
    coalesce(sum(c.accounts), 0), coalesce(sum(c.posts), 0)
  from private.erasures as e left join private.erasure_counts as c on c.erasure = e.id
  where e.id = $1 group by e.id
  on conflict do nothing;
  delete from private.erasures where id = $1;
  select * into receipt from private.erasure_receipts where id = $1;
  return to_jsonb(receipt);
end
$$;

create or replace function public.desk_erasure_forget(erasure uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  relation regclass;
  place record;
begin
  foreach relation in array array[
    'public.interviews', 'public.interview_turns', 'public.media_uploads', 'private.desk_items', 'private.desk_events',
    'private.desk_search', 'private.erasures', 'public.posts', 'public.post_versions', 'public.review_answers'
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

-- What is told about a person -----------------------------------------------------------------------------------------

-- Of a link everything but what opens it.
create or replace function public.desk_dossier(contribution bigint) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  dossier jsonb;
begin
  perform private.desk_admit('desk_dossier');
  dossier := (
    select jsonb_build_object(
      'interview', to_jsonb(i),
      'origin', (select to_jsonb(o) - 'interview_id' from public.contribution_origins as o where o.interview_id = i.id),
      'desk', (select to_jsonb(d) - 'interview_id' from private.desk_items as d where d.interview_id = i.id),
      'events', coalesce(
        (select jsonb_agg(to_jsonb(e) - 'interview_id' order by e.id) from private.desk_events as e where e.interview_id = i.id),
        '[]'
      ),
      'posts', coalesce((
        select jsonb_agg(to_jsonb(p) - 'interview_id' || jsonb_build_object(
          'versions', (
            select jsonb_agg(to_jsonb(v) - 'post_id' order by v.version) from public.post_versions as v where v.post_id = p.id
          ),
          'answers', coalesce((
            select jsonb_agg(to_jsonb(a) - 'post_id' order by a.id) from public.review_answers as a where a.post_id = p.id
          ), '[]')
        ) order by p.id)
        from public.posts as p where p.interview_id = i.id
      ), '[]'),
      'reviewLinks', coalesce((
        select jsonb_agg(to_jsonb(l) - array['interview_id', 'key_hash'] order by l.id)
        from private.review_links as l where l.interview_id = i.id
      ), '[]')
    )
    from public.interviews as i where i.id = contribution
  );
  if dossier is not null then perform public.desk_audit(contribution, 'dossier'); end if;
  return dossier;
end
$$;

create or replace function public.desk_person(email text) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  ids bigint[] := array(select private.contributions_of(desk_person.email));
  holder uuid := private.account_of(desk_person.email);
begin
  perform private.desk_admit('desk_person');
  perform public.desk_audit(null, 'person', jsonb_build_object('contributions', cardinality(ids)));
  return jsonb_build_object(
    'contributions', cardinality(ids),
    'files', (
      select count(*) from (
        select file_path from public.media_uploads where interview_id = any (ids)
        union
        select private.files_of(id) from unnest(ids) as id
      ) as paths
    ),
    'turns', (select count(*) from public.interview_turns where interview_id = any (ids)),
    'feedback', (select count(*) from public.feedback where interview_id = any (ids)),
    'posts', (select count(*) from public.posts where interview_id = any (ids)),
    -- Those that wait; what was written lies in files, which the server counts.
    'mails', (
      select count(*) from private.mails_of(ids, desk_person.email, holder) as m
      where m.state in ('waiting', 'claimed', 'sending')
    ),
    'ids', to_jsonb(ids),
    'letters', to_jsonb(array(select m.message_id from private.mails_of(ids, desk_person.email, holder) as m)),
    'auditEntries', (select count(*) from public.desk_audit_log where interview_id = any (ids)),
    'account', (
      select jsonb_build_object('id', u.id, 'role', r.role, 'erasable', private.erasable(u.id))
      from auth.users as u left join public.user_roles as r on r.user_id = u.id where u.id = holder
    )
  );
end
$$;

revoke execute on all functions in schema private from public;
revoke execute on function public.admin_posts() from public, anon;
grant execute on function public.admin_posts() to authenticated, service_role;
