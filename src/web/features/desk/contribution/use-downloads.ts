import { useRef, useState } from 'react';
import { getDeskProblem } from '#web/backend/desk-error.ts';
import { useToast } from '#web/ui/toast.tsx';
import { startDownload } from '../start-download.ts';
import { deskTexts } from '../texts.ts';
import { useDeskServer } from '../use-desk.ts';
import { contributionTexts as texts } from './texts.ts';

export type Downloads = Readonly<{
  /** The path that is being prepared. */
  preparing: string | undefined;
  download: (path: string) => void;
}>;

/** The browser streams to disk: all that is fetched here is a short-lived address. */
export function useDownloads(): Downloads {
  const server = useDeskServer();
  const toast = useToast();
  const [preparing, setPreparing] = useState<string>();
  const running = useRef(false);
  const download = async (path: string): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setPreparing(path);
    try {
      startDownload(await server.ticket(path));
    } catch (error) {
      const description = deskTexts.problems[getDeskProblem(error)];
      toast({ title: texts.downloadFailed, description, variant: 'destructive' });
    } finally {
      running.current = false;
      setPreparing(undefined);
    }
  };
  return { preparing, download: (path) => void download(path) };
}
