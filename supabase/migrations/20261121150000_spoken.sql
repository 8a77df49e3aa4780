-- Where in a recording something was said, as a transcription service told it: [{"start": 1.5, "text": "…"}], in seconds, in
-- order. Null where nobody knows. Hangs on the recording, so it goes with it.
alter table public.media_uploads add column spoken jsonb
  constraint media_uploads_spoken_form check (jsonb_typeof(spoken) = 'array' and octet_length(spoken::text) <= 1000000);
grant insert (spoken) on public.media_uploads to anon, authenticated;
