-- What the cleanup in src/backend/auth/index.ts looks for; upstream has the same indexes.
create index refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);
create index sessions_not_after_idx on auth.sessions (not_after desc);
