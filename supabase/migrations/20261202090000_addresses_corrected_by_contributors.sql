-- Whoever corrects an address, the earlier one keeps nothing: its link ends, and a review that waits for an answer is
-- sent to the new one. A mail that a server is about to send is taken back: that server has the earlier address.
create function private.leave_earlier_address() returns trigger
language plpgsql volatile security definer set search_path = ''
as $$
declare
  sent_by uuid := (
    select l.created_by from private.review_links as l where l.interview_id = new.id and l.revoked_at is null
  );
begin
  perform private.revoke_review_link(new.id);
  delete from private.desk_mails as m
  where m.interview_id = new.id and m.state in ('waiting', 'claimed') and m.mail = 'review_reminder';
  update private.desk_mails as m set state = 'waiting', claim = null, due_at = clock_timestamp()
  where m.interview_id = new.id and m.state = 'claimed' and m.mail not in ('new', 'review_answer');
  if new.contact_email is not null and private.desk_mail_team() is not null and exists (
    select from public.posts as p where p.interview_id = new.id and p.state = 'in_review'
  ) then
    perform private.queue_review_mail(new.id, case when private.is_admin() then auth.uid() else sent_by end);
  end if;
  return null;
end
$$;

-- By its name after the trigger that locks the line of the desk: the desk locks lines before mails as well.
create trigger on_earlier_address after update of contact_email on public.interviews
  for each row when (old.contact_email is not null and old.contact_email is distinct from new.contact_email)
  execute function private.leave_earlier_address();

-- As before, but for what the trigger does.
create or replace function private.desk_correct_address(item private.desk_items, change jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  earlier text := (select i.contact_email from public.interviews as i where i.id = item.interview_id);
begin
  if earlier is null then perform private.desk_refuse('change: email'); end if;
  if earlier = change ->> 'email' then return; end if;
  update public.interviews as i set contact_email = change ->> 'email' where i.id = item.interview_id;
  update private.desk_items as d set version = d.version + 1, changed_at = clock_timestamp()
  where d.interview_id = item.interview_id;
  insert into private.desk_events (interview_id, by, what) values (item.interview_id, auth.uid(), 'address');
  perform public.desk_audit(item.interview_id, 'address');
end
$$;

revoke execute on function private.leave_earlier_address() from public;
