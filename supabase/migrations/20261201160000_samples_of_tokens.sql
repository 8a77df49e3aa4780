-- As before, with the planner's samples of more tables: addresses that codes were sent to, numbers of telephones and
-- names of devices stayed there after their account was erased, addresses of the team in the keys of its mails.
create or replace function public.desk_erasure_forget(erasure uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  relation regclass;
  place record;
begin
  for relation in
    select to_regclass(name) from unnest(array[
      'public.interviews', 'public.interview_turns', 'public.media_uploads', 'private.desk_items',
      'private.desk_events', 'private.desk_search', 'private.desk_mails', 'private.erasures', 'public.posts',
      'public.post_versions', 'public.review_answers'
    ] || case
      when (select e.account from private.erasures as e where e.id = $1) is null then '{}'
      else array[
        'auth.users', 'auth.identities', 'auth.sessions', 'auth.audit_log_entries', 'auth.one_time_tokens',
        'auth.mfa_factors', 'auth.mfa_challenges'
      ]
    end) as name
    where to_regclass(name) is not null
  loop
    begin
      for place in
        select n.nspname, c.relname, a.attname
        from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where to_regprocedure('pg_catalog.pg_clear_attribute_stats(text, text, text, boolean)') is not null
          and (c.oid = relation or c.oid in (select indexrelid from pg_catalog.pg_index where indrelid = relation))
      loop
        execute 'select pg_catalog.pg_clear_attribute_stats($1, $2, $3, false)'
          using place.nspname, place.relname, place.attname;
      end loop;
      execute format('analyze %s', relation);
    exception when insufficient_privilege then
      -- A hosted project looks after its own tables.
      null;
    end;
  end loop;
end
$$;
