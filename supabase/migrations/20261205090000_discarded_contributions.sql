-- Members discard what they have begun and not handed in (decision 0420). Its rows go at once, in the same transaction;
-- its files go with the erasure that is written down here, which the server takes up within an hour.

alter table private.erasures drop constraint erasures_subject;
alter table private.erasures add constraint erasures_subject check (
  case what
    when 'contribution' then contribution is not null and num_nonnulls(email, account, before) = 0
    when 'discarded' then contribution is not null and num_nonnulls(email, account, before) = 0
    when 'person' then email is not null and num_nonnulls(contribution, before) = 0
    when 'retention' then before is not null and num_nonnulls(contribution, email, account) = 0
    else false
  end
);

-- PT409 once it is handed in or a post of it was sent. What is gone already, or another account's, changes nothing and
-- answers the same: the call may be sent again.
create function public.discard_contribution(contribution bigint) returns void
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

revoke execute on function public.discard_contribution(bigint) from public, anon, authenticated, service_role;
-- It looks itself whose contribution it is.
grant execute on function public.discard_contribution(bigint) to authenticated;
