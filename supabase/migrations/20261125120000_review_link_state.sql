-- The team sees whether the link has expired and whether a mail with a new one waits. Before, an expired link looked like
-- one that was about to be sent.
create or replace function public.desk_posts(contribution bigint) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform private.desk_admit('desk_posts');
  return jsonb_build_object(
    'posts', coalesce((
      select jsonb_agg(private.desk_post(p) || jsonb_build_object('answers', coalesce((
        select jsonb_agg(jsonb_build_object(
          'version', a.version, 'answer', a.answer, 'comment', a.comment, 'at', a.created_at
        ) order by a.id)
        from public.review_answers as a where a.post_id = p.id
      ), '[]')) order by p.id)
      from public.posts as p where p.interview_id = contribution
    ), '[]'),
    'link', (
      select jsonb_build_object(
        'createdAt', l.created_at, 'expiresAt', l.expires_at, 'expired', l.expires_at <= now(),
        'firstOpenedAt', l.first_opened_at
      )
      from private.review_links as l
      where l.interview_id = contribution and l.revoked_at is null
    ),
    'mailWaiting', exists (
      select from private.desk_mails as m
      where m.interview_id = contribution and m.mail in ('review', 'review_reminder')
        and m.state in ('waiting', 'claimed', 'sending')
    )
  );
end
$$;
