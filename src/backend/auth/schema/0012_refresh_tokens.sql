-- A token is revoked or not, so that the index on session and `revoked` finds the active one of a session with many
-- tokens.
update auth.refresh_tokens set revoked = false where revoked is null;
alter table auth.refresh_tokens alter column revoked set default false, alter column revoked set not null;
