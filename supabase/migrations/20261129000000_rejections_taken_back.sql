-- What the team takes back is told to nobody, also where a server was just trying to send it: one that is away keeps a
-- mail for as long as it lets a connection wait. And where a rejection is taken back, the contributor is asked to look
-- at the posts after all: the mail went with the rejection, so nobody was told, and nobody was reminded.

-- As before otherwise. A server that tries a mail asks once more before the first byte.
create or replace function private.on_desk_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.of_posts or private.desk_mail_team() is null then return null; end if;
  delete from private.desk_mails as m
  where m.interview_id = new.interview_id and m.state in ('waiting', 'claimed')
    and (m.mail = 'published' or (new.after = 'rejected' and (
      -- A link that the contributor asked for is sent all the same.
      m.mail in ('for_review', 'review_reminder') or m.asked_by is not null
    )));
  if new.before = 'rejected' and exists (
    select from public.posts as p
    where p.interview_id = new.interview_id and p.state = 'in_review' and p.changed_at > coalesce((
      select max(e.at) from private.desk_events as e where e.interview_id = p.interview_id and e.before = 'review'
    ), '-infinity')
  ) and (
    -- Where all are revoked, the team did it.
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
