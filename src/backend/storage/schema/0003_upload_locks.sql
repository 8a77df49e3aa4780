-- One request at a time works on a resumable upload, whichever server it reaches. A lease ends by itself with its server.
create unlogged table _backend.upload_locks (
  upload text primary key,
  holder uuid not null,
  expires_at timestamptz not null,
  -- Another request waits: the holder stops after what it has.
  wanted boolean not null default false
);
