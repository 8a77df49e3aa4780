-- The team is mailed about every request for a change and every withdrawal that says something new. Before, only the
-- first one mailed: the next ones, until the team did something, left the post in the same state, which mails nothing.

-- recorded: it counts. outdated: another text is there or will be. closed: published, or stopped by the team. The same
-- answer changes nothing while it still counts, so it may be repeated.
create or replace function public.review_answer(
  post bigint, version integer, answer text, comment text default ''
) returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint := private.admit_reviewer();
  there public.posts := private.reviewed_post(contribution, post);
  wanted text := case answer
    when 'approve' then 'approved' when 'change' then 'changes_requested' when 'decline' then 'declined'
  end;
  last public.review_answers;
  outcome text := 'recorded';
begin
  if wanted is null then perform private.desk_refuse('answer'); end if;
  select * into last from public.review_answers as a where a.post_id = there.id order by a.id desc limit 1;
  if there.state = 'published' or (there.state = 'declined' and there.stopped) then
    outcome := 'closed';
  elsif there.state = 'draft' or version is distinct from there.sent_version then
    outcome := 'outdated';
  elsif (last.answer, last.comment, there.state) is distinct from (answer, comment, wanted) then
    perform private.append_answer(there, answer, comment);
    update public.posts as p set state = wanted, stopped = false, changed_at = clock_timestamp() where p.id = there.id;
    -- A change of state mails by itself.
    if there.state = 'changes_requested' and wanted = there.state then
      perform private.queue_answer_mail(contribution);
    end if;
    perform private.note_post(contribution, 'post_state', jsonb_build_object(
      'post', there.id, 'version', there.version, 'from', there.state, 'to', wanted
    ), null);
  end if;
  return jsonb_build_object('outcome', outcome, 'review', private.review(contribution));
end
$$;

-- The contributor takes back the consent to a post that is published: it stays so until the team has taken it down. The
-- same words again change nothing, so a withdrawal may be repeated.
create or replace function public.review_withdraw(post bigint, comment text default '') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint := private.admit_reviewer();
  there public.posts := private.reviewed_post(contribution, post);
  last text;
begin
  select a.comment into last from public.review_answers as a where a.post_id = there.id order by a.id desc limit 1;
  if there.state = 'published' and (there.withdrawn_at is null or comment not in ('', last)) then
    perform private.append_answer(there, 'withdraw', comment);
    update public.posts as p set withdrawn_at = coalesce(p.withdrawn_at, now()), changed_at = clock_timestamp()
    where p.id = there.id;
    -- The first one mails by itself.
    if there.withdrawn_at is not null then perform private.queue_answer_mail(contribution); end if;
    perform private.note_post(contribution, 'post', jsonb_build_object('post', there.id, 'withdrawn', true), null);
  end if;
  return jsonb_build_object(
    'outcome', case there.state when 'published' then 'recorded' else 'closed' end,
    'review', private.review(contribution)
  );
end
$$;
