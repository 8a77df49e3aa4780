-- As before, but nobody is asked any more to look at what was taken back, or has been published, before the mail about
-- it was sent. Another text for the same review is another mail.
create or replace function private.on_desk_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.of_posts or private.desk_mail_team() is null then return null; end if;
  delete from private.desk_mails as m
  where m.interview_id = new.interview_id and m.state in ('waiting', 'claimed')
    and (
      m.mail = 'published' or (m.mail = 'for_review' and new.after <> 'for_review')
      -- A link that the contributor asked for is still sent.
      or (new.after = 'rejected' and (m.mail = 'review_reminder' or m.asked_by is not null))
    );
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
