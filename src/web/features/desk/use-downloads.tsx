import type { ReactNode } from 'react';
import type { DeskServer } from '#web/backend/desk-server.ts';
import { type DeskProblem, getDeskProblem } from '#web/backend/desk.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { StepMessage } from '#web/ui/notice.tsx';
import { deskTexts as texts } from './texts.ts';
import { useDeskServer } from './use-desk.ts';

export type Downloads = Readonly<{
  /** Key of the download that is being prepared. */
  preparing: string | undefined;
  /** The last one, where it could not be prepared. */
  failure: Readonly<{ key: string; problem: DeskProblem }> | undefined;
  download: (key: string) => void;
}>;

/** Fetches a short-lived address only (`requestTicket`); the browser streams the file to disk. */
export function useDownloads(requestTicket: (server: DeskServer, key: string) => Promise<string>): Downloads {
  const server = useDeskServer();
  const { run, busy, input, error } = useAction({
    mutationFn: (key: string) => requestTicket(server, key),
    onSuccess: startDownload,
  });
  const failure = error === null || input === undefined ? undefined : { key: input, problem: getDeskProblem(error) };
  return { preparing: busy ? input : undefined, failure, download: (key) => void run(key) };
}

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

/** Why a file could not be fetched, beside what was pressed, until the next one is. */
export function DownloadFailure({ of: { failure }, keys }: DownloadFailureProps): ReactNode {
  if (failure === undefined || keys?.includes(failure.key) === false) return null;
  const description = texts.problems[failure.problem];
  return <StepMessage message={{ id: 0, title: texts.downloadFailed, description, variant: 'destructive' }} />;
}
