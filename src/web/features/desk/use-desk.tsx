import { type MutationScope, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import type { DeskColleague } from '#contract/desk.ts';
import { type BackendClient, useBackend } from '#web/backend/client.ts';
import { connectDeskServer, type DeskServer } from '#web/backend/desk-server.ts';
import { connectDesk, type Desk, type DeskProblem, getDeskProblem, isRefusal } from '#web/backend/desk.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { useSessionStore } from '#web/backend/session.ts';
import { holdPage, useShown } from '#web/submission/use-running-work.ts';
import { StepMessage } from '#web/ui/notice.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { deskTexts as texts } from './texts.ts';

type Connect<T> = (backend: BackendClient, onProblem: (problem: DeskProblem) => void) => T;

/** `connect`: has to be the same function in each call. */
export function useConnected<T>(connect: Connect<T>): T {
  const backend = useBackend();
  const onProblem = useRefusalHandler();
  return useMemo(() => connect(backend, onProblem), [connect, backend, onProblem]);
}

export const useDesk = (): Desk => useConnected(connectDesk);
export const useDeskServer = (): DeskServer => useConnected(connectDeskServer);

/** Checks session and role again after a refusal, so that the route guard can redirect. */
export function useRefusalHandler(): (problem: DeskProblem) => void {
  const store = useSessionStore();
  return useCallback((problem) => (isRefusal(problem) ? void store.recheck() : undefined), [store]);
}

type DeskAction<T, R> = Readonly<{
  mutationFn: (input: T) => Promise<R>;
  onSuccess: (result: R, input: T) => void;
  onError?: ((problem: DeskProblem, input: T) => Promise<void> | void) | undefined;
  scope?: MutationScope;
}>;

/** While it runs, leaving the page asks first. A toast reports a failure whose screen or dialog was left. */
export function useDeskAction<T, R>({ onError, ...action }: DeskAction<T, R>) {
  const toast = useToast();
  const shown = useShown();
  return useAction({
    ...action,
    onMutate: holdPage,
    onError: async (error, input) => {
      const problem = getDeskProblem(error);
      await onError?.(problem, input);
      if (shown.current) return;
      toast({ title: texts.failedBehind, description: texts.problems[problem], variant: 'destructive' });
    },
    onSettled: (_result, _error, _input, release) => release?.(),
  });
}

/** Changes of one contribution go one after the other, so that the answer shown last is the newest. */
export const inTurn = (contribution: number) => ({ scope: { id: `contribution ${contribution}` } });

const NO_COLLEAGUES: readonly DeskColleague[] = [];

/** Accounts that a contribution can be assigned to; empty while loading. */
export function useColleagues(): readonly DeskColleague[] {
  const desk = useDesk();
  const { data } = useQuery({
    queryKey: ['desk', 'colleagues'],
    queryFn: ({ signal }) => desk.colleagues(signal),
    refetchOnWindowFocus: 'always',
  });
  return data ?? NO_COLLEAGUES;
}

/** Fetches a short-lived address only (`requestTicket`); the browser streams the file to disk. */
export function useDownloads(requestTicket: (server: DeskServer, key: string) => Promise<string>) {
  const server = useDeskServer();
  /** Keys of the downloads that are being prepared, one after the other. */
  const [preparing, setPreparing] = useState<readonly string[]>([]);
  /** Those that could not be prepared, until the next one is asked for. */
  const [failures, setFailures] = useState<ReadonlyMap<string, DeskProblem>>(new Map());
  const turn = useRef(Promise.resolve());
  const prepare = async (key: string): Promise<void> => {
    try {
      startDownload(await requestTicket(server, key));
    } catch (error) {
      setFailures((before) => new Map(before).set(key, getDeskProblem(error)));
    }
    setPreparing((before) => before.filter((one) => one !== key));
  };
  const download = (key: string): void => {
    if (preparing.includes(key)) return;
    setPreparing((before) => [...before, key]);
    setFailures(new Map());
    turn.current = turn.current.then(() => prepare(key));
  };
  return { preparing, failures, download };
}

export type Downloads = ReturnType<typeof useDownloads>;

/** Starts a download without leaving the screen, even if the answer is an error page. */
function startDownload(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

type DownloadFailureProps = Readonly<{
  of: Downloads;
  /** Shown only for these downloads; without them for each. */
  keys?: readonly string[];
}>;

/** Says next to the pressed button why a download failed, until another one is asked for. */
export function DownloadFailure({ of: { failures }, keys }: DownloadFailureProps): ReactNode {
  const [, problem] = [...failures].findLast(([key]) => keys?.includes(key) !== false) ?? [];
  if (problem === undefined) return null;
  const description = texts.problems[problem];
  return <StepMessage message={{ id: 0, title: texts.downloadFailed, description, variant: 'destructive' }} />;
}
