-- A mail about a publication goes with it. Before, where a link was corrected, or the contribution taken back, while a
-- mail server was away, the contributor still got the wrong link; of a rejected one, still the mails about a review.

-- As before, and it ends what waits and is true no more.
create or replace function private.on_desk_state() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.of_posts or private.desk_mail_team() is null then return null; end if;
  delete from private.desk_mails as m
  where m.interview_id = new.interview_id and m.state = 'waiting'
    and (m.mail = 'published' or (new.after = 'rejected' and (
      -- A link that the contributor asked for is sent all the same.
      m.mail in ('for_review', 'review_reminder') or m.asked_by is not null
    )));
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
