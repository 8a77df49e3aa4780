-- A line of the desk begins with the contributor's own words, because the interviewer greets everyone alike; taking a
-- contribution into work without a colleague assigns it to the one who takes it.

-- What the contributor says in the beginning of a conversation; null where it is none, or without an answer.
create function private.desk_own_words(said text) returns text
language sql immutable set search_path = ''
as $$
  select string_agg(substr(line, 5), ' ')
  from regexp_split_to_table(left(said, 4000), '\n\n') as line
  where starts_with(line, 'Du: ')
$$;

create or replace function private.desk_excerpt(transcript text, answers jsonb, words tsquery) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  largest constant integer := 2000;
  size integer := 500;
  shared constant integer := 200;
  -- Unpacked once.
  said text := transcript || '';
  answered text := private.desk_answers(answers);
  start integer := 1;
  found text := '';
  shown text;
begin
  if words is not null then
    while found = '' and start <= coalesce(length(said), 0) loop
      found := private.desk_headline(private.desk_piece(said, start, size), words);
      start := start + size - shared;
      size := largest;
    end loop;
    if found = '' and length(said) > largest and numnode(words) > 1 then
      found := private.desk_headline(left(said, 20000), words);
      if found = '' and length(said) > 20000 then found := private.desk_headline(substr(said, 20001), words); end if;
    end if;
    if found = '' and answered is not null then found := private.desk_headline(answered, words); end if;
  end if;
  if found <> '' then return found; end if;
  -- A conversation begins with one of its two speakers; anything else is told as it is.
  shown := case when said ~ '^(Interviewer|Du): ' then private.desk_own_words(said) else said end;
  return left(coalesce(nullif(private.desk_flat(left(shown, 1000)), ''), private.desk_flat(left(answered, 1000)), ''), 200);
end
$$;

create or replace function private.desk_move(item private.desk_items, change jsonb) returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  wanted text := change ->> 'state';
  link text := change ->> 'url';
  taken boolean := wanted = 'in_progress' and item.state <> wanted and item.assignee is null
    and exists (select from public.user_roles where user_id = auth.uid() and role = 'admin');
begin
  -- The same again changes nothing, unless it brings another text or link.
  if wanted = item.state and not change ? 'text' and (link is null or link = item.published_url) then return; end if;
  update private.desk_items as d set state = wanted, published_url = coalesce(link, d.published_url), version = d.version + 1,
    changed_at = clock_timestamp(), assignee = case when taken then auth.uid() else d.assignee end
  where d.interview_id = item.interview_id;
  if taken then
    insert into private.desk_events (interview_id, by, what, after) values (item.interview_id, auth.uid(), 'assignment', auth.uid());
    perform public.desk_audit(item.interview_id, 'assignment', jsonb_build_object('from', null, 'to', auth.uid()));
  end if;
  insert into private.desk_events (interview_id, by, what, before, after, text)
  values (item.interview_id, auth.uid(), 'state', item.state, wanted, coalesce(link, nullif(btrim(change ->> 'text'), '')));
  perform public.desk_audit(item.interview_id, 'state', jsonb_build_object('from', item.state, 'to', wanted));
end
$$;

revoke execute on all functions in schema private from public;
