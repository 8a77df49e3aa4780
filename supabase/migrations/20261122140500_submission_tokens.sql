-- An insert whose answer got lost is sent again. The header x-submission-token names the submission it begins: a second
-- insert with the same token is refused with 23505, and the browser reads the row of the first one by its key (D9).
-- Payload and answer of §7's insert stay the same, and so does an insert without the header.

create table private.submission_tokens (
  token_hash bytea primary key,
  interview_id bigint not null references public.interviews (id) on delete cascade,
  created_at timestamptz not null default now()
);
create index submission_tokens_interview_id_idx on private.submission_tokens (interview_id);
alter table private.submission_tokens enable row level security;
revoke all on private.submission_tokens from public, anon, authenticated;

-- sha256 of the token the caller sent. A token that is too short to be unique counts as none.
create function private.submission_token_hash() returns bytea
language sql stable set search_path = ''
as $$
  select sha256(convert_to(token, 'UTF8'))
  from (select nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-submission-token') as headers (token)
  where token ~ '^[A-Za-z0-9_-]{32,128}$'
$$;

-- A second insert at the same time waits here until the first one has ended, so two rows can never exist.
create function private.on_interview_begun() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.submission_tokens (token_hash, interview_id)
  select hash, new.id from (select private.submission_token_hash()) as sent (hash)
  where hash is not null and private.is_issued(new.id);
  return null;
end
$$;
create trigger on_interview_begun after insert on public.interviews
  for each row execute function private.on_interview_begun();

revoke execute on all functions in schema private from public;
