-- The tables of §3, what D9 and D16 add to them, and the bucket Media.
-- Runs unchanged on hosted Supabase: nothing here needs a superuser or touches a table of auth or storage beyond its rows.

-- Not among the schemas the API exposes.
create schema private;

create sequence public.interviews_id_seq as bigint;

-- Gives out the next id and marks it, for this transaction only, as given out by the database (D10).
create function private.issue_interview_id() returns bigint
language sql volatile security definer set search_path = ''
as $$
  select set_config('interviews.issued_id', nextval('public.interviews_id_seq')::text, true)::bigint
$$;

create table public.interviews (
  id bigint primary key default private.issue_interview_id(),
  user_id uuid references auth.users (id) on delete set null,
  user_email text,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  transcript text,
  contact_first_name text,
  contact_last_name text,
  contact_email text,
  w_questions_answers jsonb,
  -- Ceilings against nonsense; the limits users are shown are the server's (D19).
  constraint interviews_user_email_length check (length(user_email) <= 320),
  constraint interviews_transcript_length check (length(transcript) <= 2000000),
  constraint interviews_contact_first_name_length check (length(contact_first_name) <= 200),
  constraint interviews_contact_last_name_length check (length(contact_last_name) <= 200),
  constraint interviews_contact_email_form check (
    length(contact_email) <= 320 and contact_email ~ '^[^@[:space:]]+@[^@[:space:]]+$'
  ),
  constraint interviews_w_questions_answers_form check (
    jsonb_typeof(w_questions_answers) = 'object'
    and w_questions_answers - array['who', 'what', 'when', 'where', 'why'] = '{}'
    and not jsonb_path_exists(w_questions_answers, 'strict $.* ? (@.type() != "string")')
    and length(w_questions_answers::text) <= 100000
  )
);
alter sequence public.interviews_id_seq owned by public.interviews.id;
create index interviews_user_id_created_at_idx on public.interviews (user_id, created_at);

create table public.media_uploads (
  id bigint generated always as identity primary key,
  interview_id bigint not null references public.interviews (id) on delete cascade,
  created_at timestamptz not null default now(),
  file_path text not null,
  file_type text not null,
  -- §7 registers a file up to three times when an answer gets lost.
  constraint media_uploads_interview_id_file_path_key unique (interview_id, file_path),
  constraint media_uploads_file_path_length check (length(file_path) between 1 and 300),
  constraint media_uploads_file_path_folder check (starts_with(file_path, interview_id::text || '/')),
  constraint media_uploads_file_type_length check (length(file_type) <= 255)
);

create table public.user_roles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  role text not null,
  constraint user_roles_role_known check (role in ('firma_a', 'firma_b', 'testnormec', 'admin', 'vdi_admin'))
);

-- D16: every turn as it was received. The shown transcript keeps only the last line of a speaker.
create table public.interview_turns (
  id bigint generated always as identity primary key,
  interview_id bigint not null references public.interviews (id) on delete cascade,
  created_at timestamptz not null default now(),
  -- One interview may take several conversations ('Interview wiederholen', a lost connection).
  conversation_id text not null default '',
  position integer not null,
  speaker text not null,
  content text not null,
  constraint interview_turns_place_key unique (interview_id, conversation_id, position),
  constraint interview_turns_conversation_id_length check (length(conversation_id) <= 200),
  constraint interview_turns_position_range check (position between 0 and 1000000),
  constraint interview_turns_speaker_known check (speaker in ('agent', 'user')),
  constraint interview_turns_content_length check (length(content) <= 100000)
);

-- §7: like or dislike of one thing the agent said. Whoever changes their mind adds a row; the last one counts.
create table public.feedback (
  id bigint generated always as identity primary key,
  interview_id bigint not null references public.interviews (id) on delete cascade,
  created_at timestamptz not null default now(),
  conversation_id text not null default '',
  event_id integer not null,
  score text not null,
  constraint feedback_conversation_id_length check (length(conversation_id) <= 200),
  constraint feedback_event_id_range check (event_id >= 0),
  constraint feedback_score_known check (score in ('like', 'dislike'))
);
create index feedback_interview_id_idx on public.feedback (interview_id);

-- D9: who holds a key that hashes to key_hash may work on the interview until expires_at. No foreign key: a binding
-- outlives its row, so that a contributor whose row was lost can hand it in again under the same id (D10).
create table private.interview_keys (
  key_hash bytea not null,
  interview_id bigint not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  primary key (key_hash, interview_id)
);
create index interview_keys_interview_id_idx on private.interview_keys (interview_id);

create table private.settings (
  name text primary key,
  value jsonb not null
);
insert into private.settings (name, value) values ('open_contributions', 'true');

-- Upstream grants everything in public to every request role by default; the next migration says who may do what.
revoke all on public.interviews, public.media_uploads, public.user_roles, public.interview_turns, public.feedback
  from anon, authenticated;
revoke all on sequence public.interviews_id_seq from public, anon, authenticated;
revoke all on all sequences in schema public from anon, authenticated;
revoke all on all tables in schema private from public, anon, authenticated;
revoke all on function private.issue_interview_id() from public;

alter table public.interviews enable row level security;
alter table public.media_uploads enable row level security;
alter table public.user_roles enable row level security;
alter table public.interview_turns enable row level security;
alter table public.feedback enable row level security;
alter table private.interview_keys enable row level security;
alter table private.settings enable row level security;

-- D11: private. MEDIA_BUCKET_PUBLIC=true is the operator's word, not the schema's.
insert into storage.buckets (id, name, public) values ('Media', 'Media', false) on conflict (id) do nothing;
