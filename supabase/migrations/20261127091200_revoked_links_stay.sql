-- A link that an administrator revoked gets no successor by itself. Before, a mail that waited was sent with a new link
-- seconds later. Who has the earlier link may still ask for another one, which goes to the stored address (decision
-- 0262), and so may the team. As before otherwise.
create or replace function public.desk_review_revoke(contribution bigint) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_review_revoke');
  perform private.lock_contribution(contribution);
  perform private.revoke_review_link(contribution);
  delete from private.desk_mails as m
  where m.interview_id = contribution and m.state = 'waiting'
    and (m.mail = 'review_reminder' or (m.mail = 'review' and m.asked_by is not null));
  perform private.note_post(contribution, 'review_link', '{"valid": false}', auth.uid());
end
$$;
