-- Pictures and films whose original is not to be kept: a copy without place and device takes their place. A row is
-- written with the object and goes when that is done, so a crash forgets none.
create table _backend.originals (
  version text primary key,
  -- A server that takes one moves it an hour on, so that no other takes it too.
  due timestamptz not null
);
create index originals_due on _backend.originals (due);
