-- What is counted of a network is locked last. A text that grew was counted before its contribution's line was locked,
-- a file that came to the same contribution the other way round: where both met, PostgreSQL ended one of them.

-- Limits texts that grow. The old row's own length is free, so a text from under a larger limit can still be corrected.
create or replace function private.on_interview_texts() returns trigger
language plpgsql set search_path = ''
as $$
declare
  transcript_before integer := 0;
  answers_before integer := 0;
begin
  if not row_security_active(tg_relid) then return new; end if;
  if tg_op = 'UPDATE' then
    transcript_before := coalesce(length(old.transcript), 0);
    answers_before := coalesce(length(old.w_questions_answers::text), 0);
  end if;
  if length(new.transcript) > greatest(transcript_before, private.contribution_limit('transcript_characters')) then
    perform private.refuse(413, 'transcript_too_long', 'The transcript is too long');
  end if;
  if length(new.w_questions_answers::text)
    > greatest(answers_before, private.contribution_limit('answer_characters'))
  then
    perform private.refuse(413, 'answers_too_long', 'The answers are too long');
  end if;
  return new;
end
$$;

-- Counts what they grew by: after on_desk_contribution_update, and after what is counted of the contribution is locked.
create function private.on_interview_texts_counted() returns trigger
language plpgsql set search_path = ''
as $$
declare
  grown bigint := coalesce(length(new.transcript), 0);
  grown_answers bigint := coalesce(length(new.w_questions_answers::text), 0);
begin
  if not row_security_active(tg_relid) then return null; end if;
  if tg_op = 'UPDATE' then
    grown := grown - coalesce(length(old.transcript), 0);
    grown_answers := grown_answers - coalesce(length(old.w_questions_answers::text), 0);
    perform private.count_attached(new.id, 'turns', 0, 0, false);
  end if;
  perform private.count_network(
    'characters', greatest(0, grown) + greatest(0, grown_answers), 'over_contribution_limit'
  );
  return null;
end
$$;
revoke execute on function private.on_interview_texts_counted() from public, anon, authenticated, service_role;

create trigger on_interview_texts_counted_insert after insert on public.interviews
  for each row when (new.user_id is null and (new.transcript is not null or new.w_questions_answers is not null))
  execute function private.on_interview_texts_counted();
create trigger on_interview_texts_counted_update after update of transcript, w_questions_answers on public.interviews
  for each row when (
    new.user_id is null
    and (
      new.transcript is distinct from old.transcript or new.w_questions_answers is distinct from old.w_questions_answers
    )
  )
  execute function private.on_interview_texts_counted();
