import { useEffect, useLayoutEffect, useMemo, useSyncExternalStore } from 'react';
import type { InterviewSubject } from '#contract/voice.ts';
import { useBackend, type BackendClient } from '#web/backend/client.ts';
import { useFlow } from '#web/submission/flow.ts';
import { adoptKeyOf } from '#web/submission/keys.ts';
import { numericId } from '#web/submission/local-id.ts';
import { withRetries } from '#web/submission/retry.ts';
import { useRunningWork } from '#web/submission/use-running-work.ts';
import { keepAwake } from '#web/speech/wake-lock.ts';
import type { KeptInterview } from './kept-interview.ts';
import { Interview, type InterviewDeps, type InterviewSnapshot } from './talk/interview.ts';
import { isActive } from './talk/state.ts';
import { unlockBrowserVoice } from './voice/browser-voice.ts';
import { loadClient } from './voice/client.ts';
import { startCall } from './voice/start-call.ts';
import { askForTicket, bindInterview } from './voice/ticket.ts';

/**
 * Which contribution the interview belongs to (§4 'Interview id resolution'). The same object as long as the screen is
 * shown.
 */
export type InterviewIds = Readonly<{
  /** Without making one. */
  known: () => string | undefined;
  /** Made where there is none yet; undefined where that failed. Never rejects. */
  ensure: () => Promise<string | undefined>;
}>;

export type UseInterviewOptions = Readonly<{
  subject: InterviewSubject;
  ids: InterviewIds;
  /** What the interviewer should know before the first word. */
  context?: string;
  /** One that was not ended, to go on with. */
  kept?: KeptInterview | undefined;
}>;

export type InterviewHandle = InterviewSnapshot & Readonly<{ interview: Interview; active: boolean }>;

/** The interview of one screen. Leaving it ends the conversation and lets go of the microphone. */
export function useInterview({ subject, ids, context, kept }: UseInterviewOptions): InterviewHandle {
  const backend = useBackend();
  const { area } = useFlow();
  const interview = useMemo(() => {
    const request = { area: area.id, topic: subject, context };
    return new Interview(interviewDeps(backend, request, ids), kept);
  }, [backend, area, subject, context, ids, kept]);
  const snapshot = useSyncExternalStore(interview.subscribe, interview.snapshot);
  // In the same task in which the screen goes: an effect of the other kind would come some time later.
  useLayoutEffect(() => {
    const suspend = (): void => interview.suspend();
    window.addEventListener('pagehide', suspend);
    return () => {
      window.removeEventListener('pagehide', suspend);
      interview.end();
    };
  }, [interview]);
  useEffect(() => {
    void interview.preload();
    const refresh = (): void => void interview.refreshInputs();
    refresh();
    const devices = mediaDevices();
    devices?.addEventListener('devicechange', refresh);
    return () => devices?.removeEventListener('devicechange', refresh);
  }, [interview]);
  const active = isActive(snapshot.talk);
  useRunningWork(active);
  return { ...snapshot, interview, active };
}

type Request = Readonly<{
  area: ReturnType<typeof useFlow>['area']['id'];
  topic: InterviewSubject;
  context: string | undefined;
}>;

function interviewDeps(backend: BackendClient, request: Request, ids: InterviewIds): InterviewDeps {
  let ticketed: number | undefined;
  return {
    preload: loadClient,
    unlock: unlockBrowserVoice,
    ticket: async ({ resume, textOnly, transcript }, signal) => {
      const { data } = await backend.supabase.auth.getSession();
      // Without a login only a contribution with its key opens the gateway (D9).
      const id = data.session === null ? await ids.ensure() : ids.known();
      if (id !== undefined) adoptKeyOf(id);
      ticketed = numericId(id);
      const local = resume === true && ticketed === undefined;
      const background = local ? transcript : request.context;
      return askForTicket(
        backend,
        {
          area: request.area,
          topic: request.topic,
          ...(ticketed === undefined ? {} : { interviewId: ticketed }),
          ...(textOnly === true ? { textOnly } : {}),
          ...(resume === true ? { resume } : {}),
          ...(transcript === undefined || local ? {} : { transcript }),
          ...(background === undefined ? {} : { context: background }),
        },
        signal,
      );
    },
    call: (ticket, way, inputId, signal) =>
      startCall({ ticket, way, inputId, cloud: backend.config.cloudRecognition, signal }),
    onConnected: (conversationId) => void bind(backend, conversationId, ticketed, ids),
    keepAwake: () => keepAwake('wakeLock' in navigator ? navigator.wakeLock : undefined, document),
    devices: mediaDevices(),
    now: () => Date.now(),
  };
}

/** From now on the server writes every turn to the row. Should that fail, the transcript is still saved at the end. */
async function bind(
  backend: BackendClient,
  conversationId: string,
  ticketed: number | undefined,
  ids: InterviewIds,
): Promise<void> {
  const id = numericId(await ids.ensure());
  if (id === undefined || id === ticketed) return;
  await withRetries(() => bindInterview(backend, conversationId, id)).catch((error: unknown) => {
    console.warn('voice agent: not bound', error instanceof Error ? error.message : '');
  });
}

/** Absent on pages that are neither https nor localhost, whatever the types say. */
function mediaDevices(): MediaDevices | undefined {
  return 'mediaDevices' in navigator ? navigator.mediaDevices : undefined;
}
