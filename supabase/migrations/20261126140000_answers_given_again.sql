-- An answer counts again where the team has moved the post since. Before, a post that was taken back and sent again
-- unchanged stayed in review, because the same answer about this version was there already.

-- recorded: it counts. outdated: another text is there or will be. closed: published, or stopped by the team. The same
-- answer changes nothing while it still counts, so it may be repeated.
create or replace function public.review_answer(post bigint, version integer, answer text, comment text default '') returns jsonb
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint := private.admit_reviewer();
  there public.posts := private.reviewed_post(contribution, post);
  wanted text := case answer when 'approve' then 'approved' when 'change' then 'changes_requested' when 'decline' then 'declined' end;
  last public.review_answers;
  outcome text := 'recorded';
begin
  if wanted is null then perform private.desk_refuse('answer'); end if;
  select * into last from public.review_answers as a
  where a.post_id = there.id and a.version = there.sent_version order by a.id desc limit 1;
  if there.state = 'published' or (there.state = 'declined' and last.answer is distinct from 'decline') then
    outcome := 'closed';
  elsif there.state = 'draft' or version is distinct from there.sent_version then
    outcome := 'outdated';
  elsif (last.answer, last.comment, there.state) is distinct from (answer, comment, wanted) then
    perform private.append_answer(there, answer, comment);
    update public.posts as p set state = wanted, changed_at = clock_timestamp() where p.id = there.id;
    perform private.note_post(contribution, 'post_state', jsonb_build_object(
      'post', there.id, 'version', there.version, 'from', there.state, 'to', wanted
    ), null);
  end if;
  return jsonb_build_object('outcome', outcome, 'review', private.review(contribution));
end
$$;
