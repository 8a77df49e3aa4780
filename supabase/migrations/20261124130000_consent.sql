-- Consent with its exact text (decision 0267). Where the operator names one, contact details are taken only for a
-- contribution whose contributor has accepted a text; which one, to the letter, and when, is kept with it.

-- Every text that was ever asked for; `required` is the one of now. A text stays, as contributions refer to it.
create table private.consent_texts (
  version text primary key constraint consent_texts_version_is_digest check (version ~ '^[0-9a-f]{64}$'),
  text text not null constraint consent_texts_text_bounded check (length(text) between 1 and 20000),
  known_since timestamptz not null default now(),
  required boolean not null default false
);
create unique index consent_texts_one_required on private.consent_texts (required) where required;
alter table private.consent_texts enable row level security;
revoke all on private.consent_texts from public, anon, authenticated, service_role;

create table private.consents (
  interview_id bigint not null references public.interviews (id) on delete cascade,
  version text not null references private.consent_texts (version) on delete cascade,
  accepted_at timestamptz not null default now(),
  primary key (interview_id, version)
);
alter table private.consents enable row level security;
revoke all on private.consents from public, anon, authenticated, service_role;

-- The operator's setting; null asks for none.
create function private.require_consent(text text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  digest text := encode(sha256(convert_to(require_consent.text, 'UTF8')), 'hex');
begin
  update private.consent_texts set required = false;
  if digest is null then return; end if;
  insert into private.consent_texts (version, text, required) values (digest, require_consent.text, true)
  on conflict (version) do update set required = true;
end
$$;

-- Whoever may still write a contribution accepts a text for it; again, it stays with the first time. False where there is
-- no such contribution for the caller.
create function public.accept_consent(contribution bigint, version text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if not exists (select from private.writable_interview_ids() as id where id = contribution) then return false; end if;
  if not exists (select from private.consent_texts as t where t.version = accept_consent.version) then
    raise invalid_parameter_value using message = 'consent: no such text';
  end if;
  insert into private.consents (interview_id, version) values (contribution, accept_consent.version) on conflict do nothing;
  return true;
end
$$;

-- An earlier text counts: a device that was offline has shown it, and that one was agreed to.
create function private.check_consent() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.contact_email is not null and auth.role() in ('anon', 'authenticated')
    and exists (select from private.consent_texts where required)
    and not exists (select from private.consents where interview_id = new.id)
  then
    raise sqlstate 'PT422' using message = 'consent is needed';
  end if;
  return new;
end
$$;
create trigger on_contact_needs_consent before insert or update of contact_email on public.interviews
  for each row execute function private.check_consent();

-- As the desk shows and exports it: what was accepted when, to the letter.
create function private.consents_of(contribution bigint) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'version', c.version, 'acceptedAt', c.accepted_at, 'text', t.text
  ) order by c.accepted_at), '[]')
  from private.consents as c join private.consent_texts as t on t.version = c.version
  where c.interview_id = contribution
$$;

create or replace function private.desk_whole(id bigint) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select (private.desk_lines(array[$1], null) -> 0) || jsonb_build_object(
    'transcript', i.transcript, 'answers', i.w_questions_answers,
    'firstName', i.contact_first_name, 'lastName', i.contact_last_name,
    'completedAt', i.completed_at, 'publishedUrl', d.published_url,
    'fileList', private.desk_files_of($1), 'turns', private.desk_turns_of($1), 'events', private.desk_events_of($1),
    'consents', private.consents_of($1)
  )
  from public.interviews as i join private.desk_items as d on d.interview_id = i.id
  where i.id = $1
$$;

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
      ), '[]'),
      'consents', private.consents_of(i.id)
    )
    from public.interviews as i where i.id = contribution
  );
  if dossier is not null then perform public.desk_audit(contribution, 'dossier'); end if;
  return dossier;
end
$$;

revoke execute on function private.require_consent(text), private.check_consent(), private.consents_of(bigint)
  from public, anon, authenticated, service_role;
revoke execute on function public.accept_consent(bigint, text) from public, anon, authenticated, service_role;
grant execute on function public.accept_consent(bigint, text) to anon, authenticated;
