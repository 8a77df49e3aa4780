-- An administrator whose account is to be erased is none from the request on. Before, the account kept its role until
-- it was gone, which may take a while: until then it counted as one that stays, and could take the role of the only
-- other one. As an ordinary member of the same area it still hands in under its name, so the erasure finds that, too.
create or replace function public.desk_erase(subject jsonb) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  wanted private.erasures;
begin
  perform private.desk_admit('desk_erase');
  -- Two admins who erase each other at once come one after the other.
  perform pg_advisory_xact_lock(hashtext('desk_erase'));
  wanted.contribution := (subject ->> 'contribution')::bigint;
  wanted.email := lower(btrim(subject ->> 'email'));
  if wanted.contribution is not null then
    wanted.what := 'contribution';
    if not exists (select from public.interviews where id = wanted.contribution) then
      raise sqlstate 'PT404' using message = 'contribution_not_found';
    end if;
  else
    wanted.what := 'person';
    if (subject ->> 'account')::boolean then
      wanted.account := private.account_of(wanted.email);
      -- After a change of an administrator's role that runs at this moment.
      perform from public.user_roles as r where r.role = 'admin' order by r.user_id for update;
      if private.erasable(wanted.account) <> 'yes' then
        raise sqlstate 'PT409' using message = private.erasable(wanted.account);
      end if;
    end if;
  end if;
  select id into wanted.id from private.erasures
  where (what, contribution, email, account) is not distinct from (wanted.what, wanted.contribution, wanted.email, wanted.account);
  if found then return wanted.id; end if;
  insert into private.erasures (by, what, contribution, email, account)
  values (auth.uid(), wanted.what, wanted.contribution, wanted.email, wanted.account) returning id into wanted.id;
  update public.user_roles as r set role = 'vdi_admin' where r.user_id = wanted.account and r.role = 'admin';
  perform public.desk_audit(wanted.contribution, 'erasure');
  return wanted.id;
end
$$;
