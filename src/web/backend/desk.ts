import type { PostgrestError } from '@supabase/supabase-js';
import * as z from 'zod/mini';
import type { DeskErrorCode } from '#contract/desk-files.ts';
import {
  type DeskChange,
  DeskColleagueSchema,
  DeskContributionSchema,
  DeskPageSchema,
  type DeskQuery,
} from '#contract/desk.ts';
import type { ImageRights } from '#contract/media-uploads.ts';
import type { BackendClient } from './client.ts';
import { ProblemError } from './own-server.ts';

type Answer = Readonly<{ data: unknown; error: PostgrestError | null; status: number }>;

/**
 * The desk's SQL functions (`rpc('desk_…')`), for administrators only. All throw DeskError. Reports every refused
 * request to `onProblem`, in addition to throwing.
 */
export function connectDesk({ supabase }: BackendClient, onProblem: (problem: DeskProblem) => void) {
  const parse = createAnswerParser(onProblem);
  return {
    inbox: async (query: DeskQuery, signal: AbortSignal) =>
      parse(DeskPageSchema, await supabase.rpc('desk_inbox', { query }).abortSignal(signal)),
    /** Changes with anything in the list; costs next to nothing. */
    changeToken: async (signal: AbortSignal) => parse(z.string(), await supabase.rpc('desk_pulse').abortSignal(signal)),
    /** Which of these ids (10,000 at most) are erased. */
    findErased: async (ids: readonly number[], signal: AbortSignal) =>
      parse(z.array(z.number()), await supabase.rpc('desk_gone', { ids }).abortSignal(signal)),
    /** Writes the view to the audit log. */
    contribution: async (id: number, signal: AbortSignal) =>
      parse(DeskContributionSchema, await supabase.rpc('desk_contribution', { id }).abortSignal(signal)),
    /** `version`: the version that the screen shows. */
    change: async (id: number, version: number, change: DeskChange) =>
      parse(DeskContributionSchema, await supabase.rpc('desk_change', { id, version, change })),
    /** Who can be recognised on a picture or in a film. */
    answerImageRights: async (upload: number, rights: ImageRights) =>
      parse(DeskContributionSchema, await supabase.rpc('desk_image_rights', { upload, rights })),
    colleagues: async (signal: AbortSignal) =>
      parse(z.array(DeskColleagueSchema), await supabase.rpc('desk_colleagues').abortSignal(signal)),
  };
}

export type Desk = ReturnType<typeof connectDesk>;

/**
 * Returns the function that reads an answer of the desk's SQL functions. It throws DeskError. `missing`: the problem
 * where the database does not know what was asked about.
 */
export function createAnswerParser(
  onProblem: (problem: DeskProblem) => void,
  missing: 'missing' | 'post_not_found' = 'missing',
): <T extends z.core.$ZodType>(schema: T, answer: Answer) => z.output<T> {
  return (schema, answer) => {
    const found = mapProblem(answer);
    const problem = found === 'missing' ? missing : found;
    if (problem === undefined) return parseAnswer(schema, answer.data);
    onProblem(problem);
    throw new DeskError(problem, { cause: answer.error });
  };
}

const PROBLEM_OF_MESSAGE: Readonly<Record<string, DeskProblem>> = {
  'mail: off': 'mail_off',
  'mail: no address': 'no_address',
  'post: was sent for review': 'conflict',
};

/** Screens offer only moves that a post allows: somebody has moved it meanwhile. */
const MOVED_MEANWHILE = /^state: \w+ to \w+$/;

const PROBLEM_OF_CODE: Readonly<Record<string, DeskProblem>> = {
  PT409: 'conflict',
  PT404: 'missing',
  P0002: 'missing',
  '42501': 'refused',
  '22023': 'invalid',
  '23514': 'invalid',
};

const PROBLEM_OF_STATUS: Readonly<Record<number, DeskProblem>> = {
  0: 'unreachable',
  400: 'invalid',
  401: 'refused',
  403: 'refused',
  404: 'missing',
  409: 'conflict',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};

function mapProblem({ error, status }: Answer): DeskProblem | undefined {
  if (error === null) return undefined;
  if (MOVED_MEANWHILE.test(error.message)) return 'conflict';
  return PROBLEM_OF_MESSAGE[error.message] ?? PROBLEM_OF_CODE[error.code] ?? PROBLEM_OF_STATUS[status] ?? 'failed';
}

function parseAnswer<T extends z.core.$ZodType>(schema: T, data: unknown): z.output<T> {
  const result = z.safeParse(schema, data);
  if (result.success) return result.data;
  throw new DeskError('unreachable', { cause: result.error });
}

/**
 * Errors of the desk that a screen can act on.
 * unreachable: no valid answer · refused: not an administrator or an expired session · missing: no such contribution ·
 * conflict: another administrator changed it first · invalid: the database refuses the values · mail_off,
 * no_address: no mail can be sent to the contributor.
 */
export type DeskProblem =
  | DeskErrorCode
  | 'mail_off'
  | 'no_address'
  | 'unreachable'
  | 'refused'
  | 'missing'
  | 'conflict'
  | 'invalid'
  | 'failed';

export class DeskError extends ProblemError<DeskProblem> {
  override readonly name = 'DeskError';
}

const RIGHTS: readonly DeskProblem[] = ['refused', 'not_admin', 'not_authenticated', 'second_factor_needed'];

/** Whether the account lacks the right, so that a retry is useless. */
export function isRefusal(problem: DeskProblem): boolean {
  return RIGHTS.includes(problem);
}

/** Maps any thrown value; an unknown one is 'failed'. */
export function getDeskProblem(error: unknown): DeskProblem {
  return error instanceof DeskError ? error.problem : 'failed';
}
