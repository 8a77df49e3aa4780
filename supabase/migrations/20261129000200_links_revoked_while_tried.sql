-- A link that an administrator revoked gets no successor by itself, also where a server was just trying to send one.
-- Before, a mail that such a server put back, as where the mail server was away, was sent later with a new link.

-- As before otherwise. A server that tries a mail asks once more before it makes the key, and before the first byte.
create or replace function public.desk_review_revoke(contribution bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_review_revoke');
  perform private.lock_contribution(contribution);
  perform private.revoke_review_link(contribution);
  delete from private.desk_mails as m
  where m.interview_id = contribution and m.state in ('waiting', 'claimed')
    and (m.mail = 'review_reminder' or (m.mail = 'review' and m.asked_by is not null));
  perform private.note_post(contribution, 'review_link', '{"valid": false}', auth.uid());
end
$$;
