-- As before, but a contribution is begun work of its contributor only until the team has sent a post of it for review,
-- by a link that it passed on itself: the answer to it would go with a contribution that is discarded (decision 0420).
create or replace function private.own_state(item private.desk_items) returns text
language sql stable security definer set search_path = ''
as $$
  select case
    when coalesce(bool_or(p.state = 'in_review'), false) and item.state <> 'rejected' then 'waiting'
    when coalesce(bool_or(p.state = 'published'), false) or (item.state = 'published' and not (
      coalesce(bool_and(p.state = 'declined'), false) and private.own_links(item) = '[]'
    )) then 'published'
    when not item.finished and count(p.sent_version) = 0 then 'unfinished'
    when item.state in ('rejected', 'published') then 'closed'
    when item.state <> 'new' or count(*) > 0 then 'in_progress'
    else 'received'
  end
  from public.posts as p where p.interview_id = item.interview_id
$$;

-- As before, behind whoever is changing the line: a post or a publication that is noted at this moment counts.
create or replace function public.discard_contribution(contribution bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  finished boolean;
  erasure uuid;
begin
  -- Contact details that are saved at this moment come before or find nothing.
  select i.contact_email is not null into finished from public.interviews as i
  where i.id = $1 and i.user_id = private.member_id() for update;
  if not found then return; end if;
  perform from private.desk_items as d where d.interview_id = $1 for update;
  if finished or exists (
    select from private.desk_items as d where d.interview_id = $1 and private.own_state(d) <> 'unfinished'
  ) then raise sqlstate 'PT409' using message = 'contribution_finished'; end if;
  insert into private.erasures (by, what, contribution) values (auth.uid(), 'discarded', $1) returning id into erasure;
  perform public.desk_erasure_begin(erasure, $1, 0);
  perform public.desk_erasure_rows($1);
  -- It counts as one after the rows have gone: what is older than they are has nothing left to do.
  update private.erasures as e set at = clock_timestamp(), claimed_until = '-infinity' where e.id = erasure;
end
$$;
