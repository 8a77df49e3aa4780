-- Servers that start at once with different texts come one after the other, and the text of the last one is required.
-- Before, one of the starts failed, because neither saw the text that the other one was about to require.
create or replace function private.require_consent(text text) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  digest text := encode(sha256(convert_to(require_consent.text, 'UTF8')), 'hex');
begin
  perform pg_advisory_xact_lock(hashtext('require_consent'));
  update private.consent_texts set required = false;
  if digest is null then return; end if;
  insert into private.consent_texts (version, text, required) values (digest, require_consent.text, true)
  on conflict (version) do update set required = true;
end
$$;
