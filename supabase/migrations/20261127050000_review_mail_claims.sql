-- A review key is made only by the server that still holds the mail when its turn comes. Before, a server that waited
-- for the contribution past the end of its claim revoked the key of the server that had taken the mail on and had sent
-- it: the link in the contributor's mail opened nothing.
create or replace function public.review_mail_key(id bigint, claim uuid, key_hash text) returns boolean
language plpgsql volatile security definer set search_path = ''
as $$
declare
  contribution bigint;
  taken private.desk_mails;
begin
  if key_hash is null or key_hash !~ '^[0-9a-f]{64}$' then perform private.desk_refuse('key_hash'); end if;
  select m.interview_id into contribution from private.desk_mails as m where m.id = review_mail_key.id;
  if not found then return false; end if;
  perform private.lock_contribution(contribution);
  select * into taken from private.desk_mails as m
  where m.id = review_mail_key.id and m.claim = review_mail_key.claim and m.state = 'claimed'
    and m.mail in ('review', 'review_reminder')
  for update;
  if not found then return false; end if;
  if taken.mail = 'review_reminder' and not exists (
    select from public.posts as p where p.interview_id = taken.interview_id and p.state = 'in_review'
  ) then
    delete from private.desk_mails as m where m.id = taken.id;
    return false;
  end if;
  perform private.revoke_review_link(taken.interview_id);
  insert into private.review_links (interview_id, key_hash, created_by)
  values (taken.interview_id, decode($3, 'hex'), taken.asked_by);
  perform private.note_post(taken.interview_id, 'review_link', '{"valid": true}', taken.asked_by);
  return true;
end
$$;
