-- 'Meine Beiträge' offers a new review link wherever there is a review, not only while a post waits for an answer: a
-- yes may be taken back at any time, and who no longer has the mail with the link had no way to it.

-- As before otherwise. review: posts of it were sent for review.
create or replace function public.own_contributions(before_at timestamptz default null, before_id bigint default null)
returns jsonb
language sql stable security definer set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', i.id, 'createdAt', i.created_at, 'kind', d.kind, 'topic', d.topic, 'area', d.area,
    'files', coalesce(d.files, 0), 'transcript', i.spoken, 'state', private.own_state(d), 'links', private.own_links(d),
    'review', exists (select from public.posts as p where p.interview_id = i.id and p.sent_version is not null)
  ) order by i.created_at desc, i.id desc), '[]')
  from (
    select own.id, own.created_at, coalesce(own.transcript <> '', false) as spoken from public.interviews as own
    where own.user_id = (select private.member_id())
      and (own.created_at, own.id) < (coalesce($1, 'infinity'), coalesce($2, 9223372036854775807))
    order by own.created_at desc, own.id desc
    limit 25
  ) as i
  left join private.desk_items as d on d.interview_id = i.id
$$;
