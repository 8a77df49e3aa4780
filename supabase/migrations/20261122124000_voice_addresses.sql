-- One address with many interview keys took every place (threat 7): sessions of guests are counted by address as well, and
-- guests leave a share of places and minutes to members. The address is a hash under a key that only the servers hold, and
-- goes with the session's row.
alter table private.voice_sessions
  add column guest boolean not null default false,
  add column address bytea;
alter table private.voice_minutes
  add column guest boolean not null default false;
