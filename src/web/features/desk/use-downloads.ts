import { getDeskProblem } from '#web/backend/desk.ts';
import type { DeskServer } from '#web/backend/desk-server.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { deskTexts as texts } from './texts.ts';
import { useDeskServer } from './use-desk.ts';

export type Downloads = Readonly<{
  /** Key of the download that is being prepared. */
  preparing: string | undefined;
  download: (key: string) => void;
}>;

/** Fetches a short-lived address only (`requestTicket`); the browser streams the file to disk. */
export function useDownloads(requestTicket: (server: DeskServer, key: string) => Promise<string>): Downloads {
  const server = useDeskServer();
  const toast = useToast();
  const { run, busy, input } = useAction({
    mutationFn: (key: string) => requestTicket(server, key),
    onSuccess: startDownload,
    onError: (error) => {
      const description = texts.problems[getDeskProblem(error)];
      toast({ title: texts.downloadFailed, description, variant: 'destructive' });
    },
  });
  return { preparing: busy ? input : undefined, download: (key) => void run(key) };
}

/** Starts a download without leaving the screen, even if the answer is an error page. */
function startDownload(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
