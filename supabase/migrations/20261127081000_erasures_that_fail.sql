-- An erasure that cannot succeed, because the store refuses one file for example, holds up no other one.

-- Takes an erasure on, for a while: this one, or of those that no server works on the one that was left longest; what
-- was never begun comes first.
create or replace function public.desk_erasure_claim(erasure uuid default null) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  update private.erasures set claimed_until = clock_timestamp() + interval '10 seconds'
  where id = (
    select id from private.erasures
    where claimed_until < clock_timestamp() and id = coalesce(erasure, id)
    order by claimed_until, at limit 1 for update skip locked
  )
  returning * into wanted;
  return jsonb_build_object(
    'claimed', case
      when wanted.id is not null
        then jsonb_build_object('id', wanted.id, 'email', wanted.email, 'account', wanted.account)
    end,
    'open', (select count(*) from private.erasures)
  );
end
$$;

-- Gives it back, so that it is tried again: not in the same round of the server, whose next one begins after five
-- seconds at the earliest.
create or replace function public.desk_erasure_release(erasure uuid) returns void
language sql security definer set search_path = ''
as $$
  update private.erasures set claimed_until = clock_timestamp() + interval '3 seconds' where id = erasure
$$;

-- What a hosted project keeps to itself stays alone: everything else about the person goes all the same.
create or replace function public.desk_erasure_person(erasure uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
  gone text;
begin
  select * into wanted from private.erasures as e where e.id = $1;
  gone := wanted.account::text;
  delete from private.desk_mails as m
  where m.id in (select o.id from private.mails_of('{}', wanted.email, wanted.account) as o);
  delete from private.desk_tickets where owner = wanted.account;
  delete from private.voice_tickets where owner = gone;
  delete from private.voice_sessions where subject = gone;
  delete from private.voice_minutes where subject = gone;
  begin
    delete from auth.audit_log_entries
    where payload ->> 'actor_id' = gone or payload ->> 'user_id' = gone or payload -> 'traits' ->> 'user_id' = gone;
  exception when insufficient_privilege then
    null;
  end;
end
$$;
