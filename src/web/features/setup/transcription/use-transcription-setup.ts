import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { RecordingCheck, TranscriptionSetup } from '#contract/setup.ts';
import { useBackend } from '#web/backend/client.ts';
import { useAction } from '#web/backend/server-state.tsx';
import {
  connectTranscriptionSetup,
  getSetupProblem,
  type SetupProblem,
  type TranscriptionSetupServer,
} from '#web/backend/setup.ts';
import { useInlineMessage } from '#web/ui/notice.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { useReloadParts } from '../parts/use-setup-parts.ts';
import { setupTexts, transcriptionTexts as texts } from '../texts.ts';

export type SetupState =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: SetupProblem }>
  | Readonly<{ status: 'ready'; setup: TranscriptionSetup }>;

export type CheckState =
  | Readonly<{ status: 'idle' | 'running' }>
  | Readonly<{ status: 'failed'; problem: SetupProblem }>
  | Readonly<{ status: 'done'; check: RecordingCheck }>;

type Action = Readonly<{ kind: 'install' | 'remove'; model: string }> | Readonly<{ kind: 'cancel' }>;

export type UseTranscriptionSetup = ReturnType<typeof useTranscriptionSetup>;

const QUERY = ['setup', 'transcription'];
/** While a model is being installed, its state is asked for once a second. */
const POLL_MS = 1_000;

export function useTranscriptionSetup() {
  const backend = useBackend();
  const server = useMemo(() => connectTranscriptionSetup(backend), [backend]);
  const client = useQueryClient();
  const [message, show] = useInlineMessage();
  const { data, error, refetch } = useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => server.load(signal),
    refetchInterval: ({ state }) => (isInstalling(state.data) ? POLL_MS : false),
  });
  useEndToast(data);
  useChangedSource(data?.by);
  const { run, busy, input } = useAction({
    mutationFn: (action: Action) => {
      show();
      return perform(server, action);
    },
    onSuccess: (setup, action) => {
      if (setup !== undefined) client.setQueryData(QUERY, setup);
      if (action.kind === 'remove') show({ ...texts.removed(texts.describe(action.model).title), variant: 'good' });
    },
    onError: (failure) => show({ title: setupTexts.problems[getSetupProblem(failure)], variant: 'destructive' }),
    onSettled: () => client.invalidateQueries({ queryKey: QUERY }),
  });
  return {
    state: toState(data, error),
    reload: () => void refetch(),
    /** The action that waits for its answer. */
    busy: busy ? input?.kind : undefined,
    act: (action: Action) => void run(action),
    /** What came of the last action. */
    message,
    ...useCheck(server, data),
  };
}

function perform(server: TranscriptionSetupServer, action: Action): Promise<TranscriptionSetup | void> {
  if (action.kind === 'install') return server.install(action.model);
  return action.kind === 'remove' ? server.remove(action.model) : server.cancel();
}

/** A lost connection in the middle of an installation passes. */
function toState(setup: TranscriptionSetup | undefined, error: Error | null): SetupState {
  if (error !== null && !isInstalling(setup)) return { status: 'failed', problem: getSetupProblem(error) };
  return setup === undefined ? { status: 'loading' } : { status: 'ready', setup };
}

function isInstalling(setup: TranscriptionSetup | undefined): boolean {
  return setup !== undefined && setup.installation !== null;
}

/** Says when an installation has ended well; why another ended stands on the page. */
function useEndToast(setup: TranscriptionSetup | undefined): void {
  const toast = useToast();
  const before = useRef<string>(null);
  useEffect(() => {
    if (setup === undefined) return;
    const ended = setup.installation === null ? before.current : null;
    before.current = setup.installation?.model ?? null;
    const isInUse = setup.models.some(({ name, isInUse }) => name === ended && isInUse);
    if (ended !== null && isInUse) toast({ ...texts.done(texts.describe(ended).title, setup.by), variant: 'good' });
  }, [setup, toast]);
}

/** The row of this part shows what transcribes, too. */
function useChangedSource(by: TranscriptionSetup['by'] | undefined): void {
  const reloadParts = useReloadParts();
  const before = useRef(by);
  useEffect(() => {
    if (before.current !== undefined && by !== before.current) reloadParts();
    before.current = by;
  }, [by, reloadParts]);
}

function useCheck(server: TranscriptionSetupServer, setup: TranscriptionSetup | undefined) {
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const source = `${setup?.by} ${setup?.models.find(({ isInUse }) => isInUse)?.name}`;
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (_source: string) => server.check((leaving.current = new AbortController()).signal),
  });
  // The result says nothing about what transcribes since.
  const check = isPending || variables === source ? toCheckState(data, error, isPending) : CHECK_IDLE;
  return { check, runCheck: () => isPending || mutate(source) };
}

const CHECK_IDLE: CheckState = { status: 'idle' };

function toCheckState(check: RecordingCheck | undefined, error: Error | null, isPending: boolean): CheckState {
  if (isPending) return { status: 'running' };
  if (error !== null) return { status: 'failed', problem: getSetupProblem(error) };
  return check === undefined ? { status: 'idle' } : { status: 'done', check };
}
