-- As before, but whose account goes with a person is known by the account, too: an erasure may wait for a store for
-- days, while the address of the account changes, and afterwards nothing says whose contributions those were.
create or replace function public.desk_erasure_next(erasure uuid) returns bigint
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds' where id = erasure
  returning * into wanted;
  return case wanted.what
    when 'person' then (
      select min(theirs.id) from (
        select private.contributions_of(wanted.email) as id
        union all
        select i.id from public.interviews as i where i.user_id = wanted.account
      ) as theirs
    )
    when 'retention' then (select id from private.retained_until(wanted.before) as id order by id limit 1)
    else (
      select wanted.contribution
      where not exists (
        select from private.erased_contributions where interview_id = wanted.contribution and at >= wanted.at
      )
    )
  end;
end
$$;
