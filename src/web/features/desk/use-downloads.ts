import { useRef, useState } from 'react';
import { getDeskProblem } from '#web/backend/desk-error.ts';
import type { DeskServer } from '#web/backend/desk-server.ts';
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
  const [preparing, setPreparing] = useState<string>();
  const running = useRef(false);
  const download = async (key: string): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setPreparing(key);
    try {
      startDownload(await requestTicket(server, key));
    } catch (error) {
      const description = texts.problems[getDeskProblem(error)];
      toast({ title: texts.downloadFailed, description, variant: 'destructive' });
    } finally {
      running.current = false;
      setPreparing(undefined);
    }
  };
  return { preparing, download: (key) => void download(key) };
}

/** Starts a download without leaving the screen, even if the answer is an error page. */
function startDownload(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
