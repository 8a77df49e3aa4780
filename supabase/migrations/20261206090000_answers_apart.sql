-- The answers about a picture or video were read at the desk as one sentence.
create or replace function private.desk_answers(answers jsonb) returns text
language sql immutable set search_path = ''
as $$
  select string_agg(btrim(answers ->> question), E' ·\n' order by place)
  from unnest(array['who', 'what', 'when', 'where', 'why']) with ordinality as asked (question, place)
  where btrim(answers ->> question) <> ''
$$;
