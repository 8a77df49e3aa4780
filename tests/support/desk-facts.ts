import type pg from 'pg';
import type { ContributionKind } from '#contract/desk.ts';

/** What the tables hold of one contribution, and its line in the inbox; either may be missing. */
type Material = Readonly<{
  interview: Readonly<{
    transcript: string | null;
    w_questions_answers: unknown;
    contact_first_name: string | null;
    contact_last_name: string | null;
    contact_email: string | null;
    user_email: string | null;
    created_at: string;
    user_id: string | null;
  }> | null;
  files: readonly Readonly<{ type: string; path: string; at: string }>[];
  turns: number;
  origin: Readonly<{ area: string; kind: ContributionKind | null; topic: string | null }> | null;
  /** Of the account. */
  role: string | null;
  line: unknown;
}>;

/**
 * Lines that are missing, too many or wrong, by what this file says of them: it shares nothing with the database's
 * functions.
 */
export async function wrongLines(owner: pg.Client): Promise<readonly unknown[]> {
  const { rows } = await owner.query<Material>(MATERIAL);
  return rows.flatMap(({ line, ...given }) => {
    const facts = getFacts(given);
    return JSON.stringify(facts) === JSON.stringify(line) ? [] : [{ given, facts, line }];
  });
}

const MATERIAL = `
  select to_jsonb(i) as interview, to_jsonb(o) as origin, r.role,
    coalesce((select jsonb_agg(jsonb_build_object('type', m.file_type, 'path', m.file_path, 'at', m.created_at)
      order by m.created_at) from media_uploads as m where m.interview_id = i.id), '[]') as files,
    (select count(*)::integer from interview_turns as t where t.interview_id = i.id) as turns,
    case when d.interview_id is not null then json_build_object('kind', d.kind, 'area', d.area, 'topic', d.topic,
      'contributor', d.contributor, 'finished', d.finished, 'files', d.files, 'created_at', d.created_at,
      'user_id', d.user_id, 'latest_file', d.latest_file) end as line
  from interviews as i
  full join private.desk_items as d on d.interview_id = i.id
  left join contribution_origins as o on o.interview_id = i.id
  left join user_roles as r on r.user_id = i.user_id`;

function getFacts({ interview, files, turns, origin, role }: Omit<Material, 'line'>): unknown {
  if (interview === null) return null;
  const {
    contact_first_name: first,
    contact_last_name: last,
    contact_email: email,
    user_email,
    created_at,
    user_id,
  } = interview;
  const name = `${first?.trim() ?? ''} ${last?.trim() ?? ''}`.trim();
  const area = role === null ? 'generic' : role.replace('_', '-');
  return {
    kind: origin?.kind ?? getKind({ interview, files, turns, begun: origin !== null }),
    area: origin?.area ?? area,
    topic: origin?.topic ?? null,
    contributor: name === '' ? (user_email ?? '') : name,
    finished: email !== null,
    files: files.length,
    created_at,
    user_id,
    latest_file: files.at(-1)?.at ?? null,
  };
}

type Evidence = Pick<Material, 'files' | 'turns'> &
  Readonly<{ interview: NonNullable<Material['interview']>; begun: boolean }>;

/** As docs/data-model.md says it: the first that holds. */
function getKind({ interview, files, turns, begun }: Evidence): ContributionKind {
  const has = (type: string): boolean => files.some((file) => file.type.startsWith(type));
  const papers = files.filter(({ type }) => /^(?:application|text)\//.test(type));
  const paper = papers.some(({ path }) => !/\/transcript_\d+.*\.txt$/.test(path));
  const spoken = (interview.transcript ?? '').trim() !== '';
  const answered = interview.w_questions_answers !== null;
  const kinds: readonly (readonly [ContributionKind, boolean])[] = [
    ['document', begun && paper],
    ['video', begun && has('video/') && (spoken || answered)],
    ['image', begun && has('image/') && (spoken || answered)],
    ['interview', turns > 0 || (interview.transcript?.startsWith('Interviewer:') ?? false)],
    ['voice_message', spoken || has('audio/')],
    ['video', answered && has('video/')],
    ['image', answered],
    ['document', paper],
  ];
  return kinds.find(([, holds]) => holds)?.[0] ?? 'contributor';
}
