-- Contributions and what belongs to them (§3): the tables. Keys, rights and limits are in the files that follow.

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
-- For the statistics by week.
create index interviews_created_at_idx on public.interviews (created_at);
-- For the search of a person's contributions.
create index interviews_contact_email_idx on public.interviews (lower(contact_email)) where contact_email is not null;
create index interviews_user_email_idx on public.interviews (lower(user_email)) where user_email is not null;

create table public.media_uploads (
  id bigint generated always as identity primary key,
  interview_id bigint not null references public.interviews (id) on delete cascade,
  created_at timestamptz not null default now(),
  file_path text not null,
  file_type text not null,
  -- Where in a recording something was said, as a transcription service told it: [{"start": 1.5, "text": "…"}], in
  -- seconds, in order. Null: not known.
  spoken jsonb,
  -- §7 registers a file up to three times when an answer gets lost.
  constraint media_uploads_interview_id_file_path_key unique (interview_id, file_path),
  constraint media_uploads_file_path_length check (length(file_path) between 1 and 300),
  constraint media_uploads_file_path_folder check (starts_with(file_path, interview_id::text || '/')),
  constraint media_uploads_file_type_length check (length(file_type) <= 255),
  constraint media_uploads_spoken_form check (jsonb_typeof(spoken) = 'array' and octet_length(spoken::text) <= 1000000)
);
-- For the statistics by week.
create index media_uploads_created_at_file_type_idx on public.media_uploads (created_at, file_type);

-- Every turn as it was received (D16). The transcript that is shown keeps only the last line of a speaker.
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

-- Like or dislike of one thing the agent said (§7). A changed mind adds a row; the last one counts.
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

alter table public.interviews enable row level security;
alter table public.media_uploads enable row level security;
alter table public.interview_turns enable row level security;
alter table public.feedback enable row level security;

revoke all on public.interviews, public.media_uploads, public.interview_turns, public.feedback from anon, authenticated;
revoke all on sequence
  public.interviews_id_seq, public.media_uploads_id_seq, public.interview_turns_id_seq, public.feedback_id_seq
  from public, anon, authenticated;
grant all on public.interviews, public.media_uploads, public.interview_turns, public.feedback to service_role;

revoke execute on all functions in schema private from public;
grant execute on function private.issue_interview_id() to anon, authenticated, service_role;
