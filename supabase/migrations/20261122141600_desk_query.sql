-- What rpc('desk_inbox', { query }) may ask: the query as the caller sends it, validated into one row. A refused field
-- is named.

create type private.desk_question as (
  areas text[], kinds text[], states text[], finished boolean, assignee uuid, unassigned boolean,
  since timestamptz, before timestamptz, words tsquery, excluded boolean,
  sort text, after_key text, after_id bigint, size integer
);

-- A list of texts, or null where the field was left out or is empty.
create function private.desk_list(query jsonb, field text, known text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
declare
  given jsonb := query -> field;
  found text[];
begin
  if given is null or given = 'null' or given = '[]' then return null; end if;
  if jsonb_typeof(given) <> 'array' or jsonb_array_length(given) > 50
    or jsonb_path_exists(given, 'strict $[*] ? (@.type() != "string")') then
    perform private.desk_refuse(format('query: %s', field));
  end if;
  found := array(select jsonb_array_elements_text(given));
  if not found <@ known then perform private.desk_refuse(format('query: %s', field)); end if;
  return found;
end
$$;

-- A text, or null where the field was left out or is empty.
create function private.desk_text(query jsonb, field text, form text, most integer) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  given jsonb := query -> field;
begin
  if given is null or given in ('null', '""') then return null; end if;
  if jsonb_typeof(given) <> 'string' or length(given #>> '{}') > most or (given #>> '{}') !~ form then
    perform private.desk_refuse(format('query: %s', field));
  end if;
  return given #>> '{}';
end
$$;

-- The beginning of a day in Germany.
create function private.desk_day(query jsonb, field text, days integer) returns timestamptz
language plpgsql immutable set search_path = ''
as $$
declare
  given text := private.desk_text(query, field, '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 10);
begin
  return (given::date + days)::timestamp at time zone 'Europe/Berlin';
exception when datetime_field_overflow or invalid_datetime_format then
  perform private.desk_refuse(format('query: %s', field));
end
$$;

-- Where a page ends: sort, key and id of its last line. Opaque to the caller, and validated when it comes back.
create function private.desk_cursor(sort text, key text, id bigint) returns text
language sql immutable set search_path = ''
as $$
  select encode(convert_to(jsonb_build_array(sort, key, id)::text, 'UTF8'), 'hex')
$$;

create function private.desk_question(query jsonb) returns private.desk_question
language plpgsql stable set search_path = ''
as $$
declare
  q private.desk_question;
  assignee text := private.desk_text(query, 'assignee', '^(none|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$', 36);
  search text := private.desk_text(query, 'search', '', 1000);
  cursor text := private.desk_text(query, 'after', '^([0-9a-f]{2})+$', 8000);
  place jsonb;
begin
  if jsonb_typeof(query) <> 'object' or query - array['search', 'areas', 'kinds', 'states', 'finished', 'assignee', 'from', 'until', 'sort', 'after', 'limit'] <> '{}' then
    perform private.desk_refuse('query: unknown field');
  end if;
  q.areas := private.desk_list(query, 'areas', array(select jsonb_array_elements_text(case jsonb_typeof(query -> 'areas') when 'array' then query -> 'areas' else '[]' end)));
  q.kinds := private.desk_list(query, 'kinds', array['interview', 'voice_message', 'video', 'image', 'document', 'contributor']);
  q.states := private.desk_list(query, 'states', array['new', 'in_progress', 'for_review', 'published', 'rejected']);
  if jsonb_typeof(query -> 'finished') not in ('boolean', 'null') then perform private.desk_refuse('query: finished'); end if;
  q.finished := (query ->> 'finished')::boolean;
  q.unassigned := case when assignee = 'none' then true end;
  q.assignee := case when assignee <> 'none' then assignee::uuid end;
  q.since := private.desk_day(query, 'from', 0);
  q.before := private.desk_day(query, 'until', 1);
  if btrim(search) <> '' then q.words := private.desk_words_sought(search); end if;
  -- Words that must not be there name no place in the index; but those that have them do.
  q.excluded := q.words is not null and querytree(q.words) = 'T';
  if q.excluded then q.words := !!q.words; end if;
  q.sort := coalesce(private.desk_text(query, 'sort', '^(newest|oldest|changed|contributor)$', 20), 'newest');
  if jsonb_typeof(query -> 'limit') not in ('number', 'null') or (query ->> 'limit') !~ '^[0-9]{1,3}$' or (query ->> 'limit')::integer not between 1 and 200 then
    perform private.desk_refuse('query: limit');
  end if;
  q.size := coalesce((query ->> 'limit')::integer, 50);
  if cursor is not null then
    begin
      place := convert_from(decode(cursor, 'hex'), 'UTF8')::jsonb;
      if place ->> 0 <> q.sort or jsonb_array_length(place) <> 3 then raise invalid_text_representation; end if;
      q.after_key := place ->> 1;
      q.after_id := (place ->> 2)::bigint;
      if q.sort <> 'contributor' then perform q.after_key::timestamptz; end if;
      if q.after_key is null or q.after_id is null then raise invalid_text_representation; end if;
    exception when others then
      perform private.desk_refuse('query: after');
    end;
  end if;
  return q;
end
$$;

revoke execute on all functions in schema private from public;
