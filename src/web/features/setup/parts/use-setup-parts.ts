import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  CHECKED_PARTS,
  type CheckedPart,
  type PartState,
  type SetupPartName,
  type SetupParts,
} from '#contract/setup-parts.ts';
import { useBackend } from '#web/backend/client.ts';
import { connectSetupParts, getSetupProblem, type SetupProblem } from '#web/backend/setup.ts';

type PartsState =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: SetupProblem }>
  | Readonly<{ status: 'ready'; parts: SetupParts }>;

export type UseSetupParts = Readonly<{ state: PartsState; reload: () => void }>;

const QUERY = ['setup', 'parts'];
/** While a check runs on the server, its end is asked for once a second. */
const POLL_MS = 1_000;

export function useSetupParts(): UseSetupParts {
  const backend = useBackend();
  const server = useMemo(() => connectSetupParts(backend), [backend]);
  const { data, error, refetch } = useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => server.load(signal),
    refetchInterval: ({ state }) => (isChecking(state.data) ? POLL_MS : false),
  });
  return { state: toState(data, error), reload: () => void refetch() };
}

/** Returns the function that asks for the states again. */
export function useReloadParts(): () => void {
  const client = useQueryClient();
  return useMemo(() => () => void client.invalidateQueries({ queryKey: QUERY }), [client]);
}

function toState(parts: SetupParts | undefined, error: Error | null): PartsState {
  if (parts !== undefined) return { status: 'ready', parts };
  return error === null ? { status: 'loading' } : { status: 'failed', problem: getSetupProblem(error) };
}

function isChecking(parts: SetupParts | undefined): boolean {
  return parts !== undefined && CHECKED_PARTS.some((part) => parts[part].isChecking);
}

/** `before`: when the last check ended. A later one is the result, whatever became of this page's request. */
export function useCheck(part: CheckedPart, before: string | undefined) {
  const backend = useBackend();
  const server = useMemo(() => connectSetupParts(backend), [backend]);
  const client = useQueryClient();
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (_before: string | undefined) => server.check(part),
    onSuccess: (check) =>
      client.setQueryData<SetupParts>(QUERY, (parts) => parts && { ...parts, [part]: { ...parts[part], check } }),
    onSettled: () => client.invalidateQueries({ queryKey: QUERY }),
  });
  return {
    run: () => isPending || mutate(before),
    /** Until the server has the state of the check. */
    isStarting: isPending,
    /** Why the check did not run. */
    problem: error === null || variables !== before ? undefined : getSetupProblem(error),
  };
}

/** The most important first: what contributors and the team would miss first. */
export const PART_ORDER: readonly SetupPartName[] = [
  'address',
  'mail',
  'backup',
  'second-factors',
  'transcription',
  'storage',
  'language-model',
  'voice',
  'retention',
  'versions',
];

type NextStep = Readonly<{ part: SetupPartName; state: Exclude<PartState, 'ready'> }>;

/** What is broken goes before what is missing. undefined where everything is in order. */
export function findNextStep(parts: SetupParts): NextStep | undefined {
  for (const state of ['broken', 'missing'] as const) {
    const part = PART_ORDER.find((name) => parts[name].state === state);
    if (part !== undefined) return { part, state };
  }
  return undefined;
}

export function countReady(parts: SetupParts): number {
  return PART_ORDER.filter((name) => parts[name].state === 'ready').length;
}
