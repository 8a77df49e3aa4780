-- Mails to the team that wait, or that a server is trying to send, when the operator changes DESK_MAIL_TO: whoever is
-- named no more gets none, and who is named now gets them.

create function private.add_new_mails(contribution bigint) returns void
language sql volatile security definer set search_path = ''
as $$
  insert into private.desk_mails (key, interview_id, mail, colleague, address)
  select format('new:%s:%s', $1, coalesce(who.address, who.colleague::text)), $1, 'new', who.colleague, who.address
  from (
    select null::uuid as colleague, lower(address) as address
    from jsonb_array_elements_text(private.desk_mail_team()) as address
    union all
    select a.user_id, null from private.mailable_admins() as a where private.desk_mail_team() = '[]'
  ) as who
  on conflict (key) do nothing
$$;

-- As before; it does nothing where no server sends mails.
create or replace function private.on_desk_finished() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.add_new_mails(new.interview_id);
  return null;
end
$$;

-- As before, for mails that wait as well. A mail in another's place is as old, so that it tells of the same answers.
create or replace function public.desk_mail_configure(addresses text[]) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  team text[] := array(select lower(address) from unnest(addresses) as address);
  gone record;
begin
  insert into private.settings (name, value) values ('desk_mail', jsonb_build_object('to', to_jsonb(addresses)))
  on conflict on constraint settings_pkey do update set value = excluded.value;
  -- In the order of whoever changes a contribution.
  perform from private.desk_items as d where d.interview_id in (
    select m.interview_id from private.desk_mails as m
    where m.mail in ('new', 'review_answer') and m.state in ('waiting', 'claimed') and m.address <> all (team)
  ) order by d.interview_id for update;
  for gone in
    delete from private.desk_mails as m
    where m.mail in ('new', 'review_answer') and m.state in ('waiting', 'claimed') and m.address <> all (team)
    returning m.interview_id, m.mail, m.created_at
  loop
    if gone.mail = 'new' then
      perform private.add_new_mails(gone.interview_id);
    else
      perform private.add_answer_mail(gone.interview_id);
      update private.desk_mails as m set created_at = gone.created_at
      where m.interview_id = gone.interview_id and m.mail = 'review_answer' and m.state = 'waiting'
        and m.created_at > gone.created_at;
    end if;
  end loop;
end
$$;

revoke execute on function private.add_new_mails(bigint) from public;
