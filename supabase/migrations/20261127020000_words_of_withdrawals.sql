-- Words that come with a second withdrawal are kept: two people may have the link, or two pages of one person. Before,
-- they were told that their words had arrived, and nothing was.

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
    perform private.note_post(contribution, 'post', jsonb_build_object('post', there.id, 'withdrawn', true), null);
  end if;
  return jsonb_build_object(
    'outcome', case there.state when 'published' then 'recorded' else 'closed' end, 'review', private.review(contribution)
  );
end
$$;
