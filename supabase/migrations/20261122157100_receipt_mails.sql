-- A receipt for the contributor once a contribution is complete: one mail, with what arrived. Anybody may type any
-- address, so one address gets so many receipts a day and no name that somebody typed stands in them.

alter table private.desk_mails drop constraint desk_mails_mail_known;
alter table private.desk_mails add constraint desk_mails_mail_known check (
  mail in ('new', 'for_review', 'published', 'review', 'review_reminder', 'review_answer', 'receipt')
);

-- A server that sends says at its start how many receipts one address gets in a day; null: none are sent.
create function public.receipt_mail_configure(per_day integer) returns void
language plpgsql volatile security definer set search_path = ''
as $$
begin
  if per_day < 1 or per_day > 1000 then perform private.desk_refuse('per_day'); end if;
  insert into private.settings (name, value) values ('receipt_mails', coalesce(to_jsonb(per_day), 'null'))
  on conflict on constraint settings_pkey do update set value = excluded.value;
end
$$;

create function private.on_desk_receipt() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  per_day integer := (select (nullif(value, 'null'::jsonb) #>> '{}')::integer from private.settings where name = 'receipt_mails');
  receiver text := (select lower(i.contact_email) from public.interviews as i where i.id = new.interview_id);
begin
  if per_day is null or receiver is null or private.desk_mail_team() is null
    or exists (select from private.desk_mails as m where m.key = format('receipt:%s', new.interview_id)) then return null; end if;
  -- Contributions that are completed at the same moment count each other.
  perform pg_advisory_xact_lock(hashtextextended('receipt:' || receiver, 0));
  if (
    select count(*) from public.interviews as i join private.desk_mails as m on m.interview_id = i.id
    where lower(i.contact_email) = receiver and m.mail = 'receipt' and m.created_at > now() - interval '1 day'
  ) >= per_day then
    insert into private.desk_events (interview_id, what, before, after) values (new.interview_id, 'mail', 'receipt', 'limited');
    return null;
  end if;
  insert into private.desk_mails (key, interview_id, mail) values (format('receipt:%s', new.interview_id), new.interview_id, 'receipt')
  on conflict (key) do nothing;
  return null;
end
$$;

create trigger on_desk_receipt_insert after insert on private.desk_items
  for each row when (new.finished) execute function private.on_desk_receipt();
create trigger on_desk_receipt_update after update of finished on private.desk_items
  for each row when (new.finished and not old.finished) execute function private.on_desk_receipt();

-- What arrived, for the receipt alone.
create function private.receipt_facts(contribution bigint) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'words', coalesce(cardinality(regexp_split_to_array(nullif(btrim(i.transcript), ''), '\s+')), 0),
    'completedAt', greatest(i.created_at, i.completed_at),
    'files', coalesce((
      select jsonb_object_agg(k.kind, k.count) from (
        select private.media_kind(m.file_type) as kind, count(*) as count
        from public.media_uploads as m where m.interview_id = i.id group by 1
      ) as k
    ), '{}')
  )
  from public.interviews as i where i.id = $1
$$;

-- As before, with the facts of a receipt.
create or replace function private.desk_mail_whole(mail private.desk_mails) returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'id', mail.id, 'claim', mail.claim, 'mail', mail.mail, 'messageId', mail.message_id, 'createdAt', mail.created_at,
    'to', private.desk_mail_address(mail),
    'replyTo', case when mail.mail not in ('new', 'review_answer') then coalesce(private.desk_mail_team() ->> 0, who.email) end,
    'contribution', d.interview_id, 'area', d.area, 'kind', d.kind, 'topic', d.topic,
    'contributor', d.contributor, 'firstName', i.contact_first_name, 'text', e.text,
    'received', case when mail.mail = 'receipt' then private.receipt_facts(mail.interview_id) end,
    'channels', coalesce((
      select jsonb_agg(p.channel order by p.id) from public.posts as p
      where p.interview_id = mail.interview_id
        and p.state = case mail.mail when 'review_answer' then 'changes_requested' else 'in_review' end
    ), '[]'),
    'withdrawn', coalesce((
      select jsonb_agg(p.channel order by p.id) from public.posts as p
      where p.interview_id = mail.interview_id and p.state = 'published' and p.withdrawn_at is not null
    ), '[]')
  )
  from private.desk_items as d
  join public.interviews as i on i.id = d.interview_id
  left join private.desk_events as e on e.id = mail.event_id
  left join auth.users as who on who.id = coalesce(mail.asked_by, e.by)
  where d.interview_id = mail.interview_id
$$;

revoke execute on function private.on_desk_receipt(), private.receipt_facts(bigint) from public;
revoke execute on function public.receipt_mail_configure(integer) from public, anon, authenticated, service_role;
grant execute on function public.receipt_mail_configure(integer) to service_role;
