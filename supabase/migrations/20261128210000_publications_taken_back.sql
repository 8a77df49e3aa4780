-- A mail about something that the team has taken back is not sent any more: a publication that was taken back or whose
-- link was corrected, the review of a rejected contribution, a link that was revoked. This includes mails that a server
-- is trying to send: while the mail server is away, such a server keeps the mail and puts it back later.

-- Deletes waiting mails that no longer hold. Queues the review mail again when a rejection is taken back, because the
-- rejection deleted it. A server that tries a mail asks for it once more before the first byte.
create or replace function private.on_desk_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.of_posts or private.desk_mail_team() is null then return null; end if;
  delete from private.desk_mails as m
  where m.interview_id = new.interview_id and m.state in ('waiting', 'claimed')
    and (m.mail = 'published' or (new.after = 'rejected' and (
      -- A link that the contributor asked for is still sent.
      m.mail in ('for_review', 'review_reminder') or m.asked_by is not null
    )));
  if new.before = 'rejected' and exists (
    select from public.posts as p
    where p.interview_id = new.interview_id and p.state = 'in_review' and p.changed_at > coalesce((
      select max(e.at) from private.desk_events as e where e.interview_id = p.interview_id and e.before = 'review'
    ), '-infinity')
  ) and (
    -- The team revoked all links, so none is sent.
    select bool_and(l.revoked_at is not null) from private.review_links as l where l.interview_id = new.interview_id
  ) is not true then perform private.queue_review_mail(new.interview_id, auth.uid()); end if;
  if new.after not in ('for_review', 'published') then return null; end if;
  insert into private.desk_mails (key, interview_id, mail, event_id)
  values (
    case new.after
      when 'published' then format('published:%s:%s', new.interview_id, md5(new.text))
      else format('for_review:%s', new.id)
    end,
    new.interview_id, new.after, new.id
  )
  on conflict (key) do nothing;
  return null;
end
$$;

drop trigger on_desk_state on private.desk_events;
create trigger on_desk_state after insert on private.desk_events
  for each row when (new.what = 'state') execute function private.on_desk_state();

-- As before, and deletes the mails with that link, also while a server tries to send them.
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
