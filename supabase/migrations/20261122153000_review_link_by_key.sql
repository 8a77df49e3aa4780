-- A new review link is asked for with an earlier link's key or by the account that owns the contribution: anyone can guess
-- the number of a contribution, and each guess would have cost its contributor a mail (decision 0262).

drop function public.review_link_request(text, bigint);

-- Goes to the stored address alone, at most every ten minutes and five times a day. It returns nothing either way, so no
-- caller learns whether a mail was sent.
create function private.renew_review_link(contribution bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform from public.interviews as i where i.id = $1 for key share;
  perform from private.desk_items as d where d.interview_id = $1 for update;
  if not found or private.desk_mail_team() is null or not private.has_contact_address($1) then return; end if;
  if not exists (select from public.posts as p where p.interview_id = $1 and p.sent_version is not null) then return; end if;
  if exists (
    select from private.desk_mails as m where m.interview_id = $1 and m.mail in ('review', 'review_reminder')
    having max(m.created_at) > now() - interval '10 minutes'
      or count(*) filter (where m.created_at > now() - interval '1 day') >= 5
  ) then return; end if;
  perform private.queue_review_mail($1, null);
end
$$;

-- For the server: with the sha256 of an earlier key, also of an expired or revoked one.
create function public.review_link_request(key_hash text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if key_hash ~ '^[0-9a-f]{64}$' then
    perform private.renew_review_link(l.interview_id) from private.review_links as l where l.key_hash = decode($1, 'hex');
  end if;
end
$$;

-- For a member: of an own contribution.
create function public.own_review_link(contribution bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.renew_review_link(i.id) from public.interviews as i
  where i.id = contribution and i.user_id = private.member_id();
end
$$;

revoke execute on function private.renew_review_link(bigint) from public;
revoke execute on function public.review_link_request(text), public.own_review_link(bigint)
  from public, anon, authenticated, service_role;
grant execute on function public.review_link_request(text) to service_role;
-- It looks itself whose contribution it is.
grant execute on function public.own_review_link(bigint) to authenticated;
