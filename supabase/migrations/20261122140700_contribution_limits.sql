-- How much may be handed in: contributions, rows and characters of one network in an hour without a login, and rows and
-- characters of one contribution for everybody. Counted in the insert, so that no spelling of an address and no number
-- of rows in one request gets past it (decision 0131).

-- What the operator decided -------------------------------------------------------------------------------------------

insert into private.settings (name, value) values ('contribution_limits', '{
  "contributions_per_hour": 60, "rows_per_hour": 5000, "characters_per_hour": 5000000,
  "files": 200, "turns": 5000, "feedback": 1000,
  "transcript_characters": 200000, "turn_characters": 2000000, "answer_characters": 20000
}') on conflict do nothing;

-- For the operator: the embedded server calls it at its start, on a hosted project it is called by hand. Other limits
-- stay.
create function private.configure_contribution_limits(limits jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if exists (
    select from jsonb_each(limits) as given (name, value)
    where jsonb_typeof(value) <> 'number' or value::numeric < 1 or value::numeric > 1000000000 or value::numeric % 1 <> 0
      or not exists (select from private.settings as s where s.name = 'contribution_limits' and s.value ? given.name)
  ) then
    raise invalid_parameter_value using message = format('no such contribution limits: %s', limits);
  end if;
  update private.settings as s set value = s.value || limits where s.name = 'contribution_limits';
end
$$;

create function private.contribution_limit(kind text) returns bigint
language sql stable security definer set search_path = ''
as $$
  select (value ->> kind)::bigint from private.settings where name = 'contribution_limits'
$$;

-- Contributions -------------------------------------------------------------------------------------------------------

-- Comes after on_interview_insert: an insert that is merged into a row does not reach it, and user_id is the
-- database's.
create function private.on_interview_limit() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if row_security_active(tg_relid) then
    perform private.count_network('contributions', 1, 'over_contribution_limit');
  end if;
  return new;
end
$$;
create trigger on_interview_limit before insert on public.interviews
  for each row when (new.user_id is null) execute function private.on_interview_limit();

-- Limits texts that grow. The old row's own length is free, so a text from under a larger limit can still be corrected.
create function private.on_interview_texts() returns trigger
language plpgsql set search_path = ''
as $$
declare
  transcript integer := coalesce(length(new.transcript), 0);
  answers integer := coalesce(length(new.w_questions_answers::text), 0);
  transcript_before integer := 0;
  answers_before integer := 0;
begin
  if not row_security_active(tg_relid) then return new; end if;
  if tg_op = 'UPDATE' then
    transcript_before := coalesce(length(old.transcript), 0);
    answers_before := coalesce(length(old.w_questions_answers::text), 0);
  end if;
  if transcript > greatest(transcript_before, private.contribution_limit('transcript_characters')) then
    perform private.refuse(413, 'transcript_too_long', 'The transcript is too long');
  end if;
  if answers > greatest(answers_before, private.contribution_limit('answer_characters')) then
    perform private.refuse(413, 'answers_too_long', 'The answers are too long');
  end if;
  if new.user_id is null then
    perform private.count_network(
      'characters',
      greatest(0, transcript - transcript_before) + greatest(0, answers - answers_before),
      'over_contribution_limit'
    );
  end if;
  return new;
end
$$;
-- Without a text nothing is asked. On insert it comes after user_id is set.
create trigger on_interview_texts_insert before insert on public.interviews
  for each row when (new.transcript is not null or new.w_questions_answers is not null)
  execute function private.on_interview_texts();
create trigger on_interview_texts_update before update of transcript, w_questions_answers on public.interviews
  for each row when (
    new.transcript is distinct from old.transcript or new.w_questions_answers is distinct from old.w_questions_answers
  )
  execute function private.on_interview_texts();

-- What belongs to a contribution --------------------------------------------------------------------------------------

create table private.contribution_usage (
  interview_id bigint primary key references public.interviews (id) on delete cascade,
  files bigint not null default 0,
  turns bigint not null default 0,
  feedback bigint not null default 0,
  turn_characters bigint not null default 0
);
alter table private.contribution_usage enable row level security;
revoke all on private.contribution_usage from public, anon, authenticated, service_role;

-- Adds rows of one contribution; `limited`: the caller is under row-level security. The row's lock makes inserts at the
-- same time count each other.
create function private.count_attached(
  contribution bigint, what text, amount bigint, characters bigint, limited boolean
) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  used private.contribution_usage;
begin
  insert into private.contribution_usage as u (interview_id, files, turns, feedback, turn_characters)
  values (
    contribution, case when what = 'files' then amount else 0 end, case when what = 'turns' then amount else 0 end,
    case when what = 'feedback' then amount else 0 end, characters
  )
  on conflict (interview_id) do update set
    files = u.files + excluded.files, turns = u.turns + excluded.turns, feedback = u.feedback + excluded.feedback,
    turn_characters = u.turn_characters + excluded.turn_characters
  returning * into used;
  if not limited then return; end if;
  if (to_jsonb(used) ->> what)::bigint > private.contribution_limit(what)
    or (characters > 0 and used.turn_characters > private.contribution_limit('turn_characters')) then
    perform private.refuse(413, 'contribution_full', 'The contribution holds as much as it may');
  end if;
  if private.member_id() is null then
    perform private.count_network('rows', amount, 'over_contribution_limit');
    perform private.count_network('characters', characters, 'over_contribution_limit');
  end if;
end
$$;

-- One count a statement and contribution, not one a row. The first argument says what is counted.
create function private.on_attached() returns trigger
language plpgsql set search_path = ''
as $$
declare
  limited constant boolean := row_security_active(tg_relid);
begin
  perform private.count_attached(
    interview_id, tg_argv[0], count(*),
    coalesce(sum(length(to_jsonb(added) ->> 'content')), 0)::bigint, limited
  )
  from added group by interview_id order by interview_id;
  return null;
end
$$;

create trigger on_files_counted after insert on public.media_uploads
  referencing new table as added for each statement execute function private.on_attached('files');
create trigger on_turns_counted after insert on public.interview_turns
  referencing new table as added for each statement execute function private.on_attached('turns');
create trigger on_feedback_counted after insert on public.feedback
  referencing new table as added for each statement execute function private.on_attached('feedback');

revoke execute on all functions in schema private from public;
-- Triggers run with the caller's rights, because only there PostgreSQL says whether row-level security holds for it.
grant execute on function private.contribution_limit(text) to anon, authenticated;
-- The service has no limit, but its rows count.
grant execute on function private.count_attached(bigint, text, bigint, bigint, boolean)
  to anon, authenticated, service_role;
