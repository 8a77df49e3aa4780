import type { Mutation } from './mutation.ts';

/** A mutation that the rules do not notice, and why that is no gap. */
type Known = Readonly<{
  kind: Mutation['kind'];
  /** The beginnings of its names, and what else stands in them. */
  objects: readonly string[];
  change?: string;
  reason: string;
}>;

const guard = (object: string, change: string, reason: string): Known => ({
  kind: 'guard removed',
  objects: [object],
  change,
  reason,
});

const ASKED_AGAIN = 'asked again under the lock of the mailbox: here it only saves looking at mails that have ended';
const SPEED = 'narrows for the index alone: what follows leaves the same rows';

const LOCKS_MORE = 'locks lines whose mails stay as they are';

const KNOWN: readonly Known[] = [
  {
    kind: 'definer removed',
    objects: ['private.'],
    change: 'which no request role may execute',
    reason: 'what calls it runs with its owner’s privileges already',
  },
  {
    kind: 'definer removed',
    objects: [
      'private.on_desk_finished()',
      'private.on_desk_item_delete()',
      'private.on_desk_receipt()',
      'private.on_desk_state()',
      'private.on_post_moved()',
    ],
    reason: 'its table is written by functions that run with their owner’s privileges already, and by references',
  },
  {
    kind: 'definer removed',
    objects: ['private.reserve_upload()'],
    reason: 'the storage service writes its table as the owner',
  },
  {
    kind: 'definer removed',
    objects: ['private.my_interview_ids()', 'private.is_my_interview(bigint)', 'private.is_writable_interview(bigint)'],
    reason: 'the policies of interviews show a caller the same rows',
  },
  {
    kind: 'policy weakened',
    objects: ['public.interviews: "members start interviews"'],
    change: 'private.member_id() → auth.uid()',
    reason: 'on_interview_insert sets the owner from member_id(), and without a role that is null',
  },
  {
    kind: 'constraint weakened',
    objects: ['public.media_uploads: media_uploads_file_path_length'],
    change: '>= 1',
    reason: 'media_uploads_file_path_folder refuses the empty path, too',
  },
  {
    kind: 'constraint weakened',
    objects: ['public.desk_audit_log: desk_audit_log_detail_form'],
    change: `'object'`,
    reason: 'is_audit_detail(), which is asked first, refuses what is no object',
  },
  guard('private.check_consent(), line 5', `tg_op = 'UPDATE' → true`, 'an insertion has no old address either'),
  guard(
    'private.desk_move(private.desk_items,jsonb), line 6',
    'true',
    'desk_change(), the only one that calls it, lets administrators alone in',
  ),
  guard(
    'private.desk_move(private.desk_items,jsonb), line 5',
    'item.state <> wanted → true',
    'the same state again without a text or link changes nothing, and this one takes neither',
  ),
  guard(
    'public.answer_image_rights(',
    'm.interview_id = private.interview_of_path(path) → true',
    'media_uploads_file_path_folder: the path of an upload begins with its contribution',
  ),
  guard('private.member_id()', 'caller is null → false', 'without a caller no account is found below'),
  guard(
    'private.desk_events_of(',
    `e.what = 'assignment' → true`,
    'the address that is joined is shown for assignments alone',
  ),
  guard('public.desk_mail_settle(', 'ids is null → false', 'without rows of that claim, what follows changes none'),
  guard('public.desk_mail_claim(), line 10', `m.state in ('waiting', 'claimed', 'sending') → true`, ASKED_AGAIN),
  guard('public.desk_mail_claim(), line 10', 'm.due_at <= clock_timestamp() → true', ASKED_AGAIN),
  guard('public.desk_mail_configure(text[]), line 9', '→ true', LOCKS_MORE),
  guard('public.desk_mail_configure(text[]), line 11', '→ true', LOCKS_MORE),
  guard('public.desk_retain(', `e.what = 'retention' → true`, 'erasures_subject lets no other kind have a `before`'),
  guard('private.on_desk_finished()', 'team is null → false', 'without a team the selection below is empty'),
  guard('private.retained_until(', 'i.created_at < $1 → true', SPEED),
  guard('public.desk_retention(', 'i.created_at < desk_retention.before → true', SPEED),
  guard('public.admin_statistics()', 'user_id is not null → true', SPEED),
  guard('private.on_post_moved()', "p.state = 'declined' → true", 'no post of another state is stopped'),
  guard(
    'private.count_upload(',
    'volume.files = 1 → true',
    'days that have ended go at each file then, not at the first of a day',
  ),
  guard('public.desk_inbox(', 'found is null → true', 'another way to the same page, for what many have'),
  guard(
    'public.desk_inbox(',
    'not q.excluded → true',
    'an excerpt finds nothing of what its contribution must not have',
  ),
  guard('public.desk_erasures(', 'cardinality(shown) = 50 → true', 'a page of fewer has no fiftieth receipt'),
  guard('public.desk_erasure_forget(', 'to_regprocedure(', 'PostgreSQL 18 has the function'),
  guard(
    'public.desk_erasure_forget(',
    'to_regclass(',
    'the tables of this backend are there; a hosted one may lack some',
  ),
];

/** Those that no survivor stands for any more, though mutations that they name were tried. */
export function findNeedless(tried: readonly Mutation[], survivors: readonly Mutation[]): readonly Known[] {
  const named = new Set(tried.map(findKnown));
  const needed = new Set(survivors.map(findKnown));
  return KNOWN.filter((known) => named.has(known) && !needed.has(known));
}

export function findKnown({ kind, name }: Pick<Mutation, 'kind' | 'name'>): Known | undefined {
  return KNOWN.find(
    (known) =>
      known.kind === kind &&
      known.objects.some((object) => name.startsWith(object)) &&
      name.includes(known.change ?? ''),
  );
}
