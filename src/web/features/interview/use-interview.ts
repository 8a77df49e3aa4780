import { useEffect, useLayoutEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { InterviewSubject } from '#contract/voice.ts';
import { findAccessToken } from '#web/backend/access-token.ts';
import { type BackendClient, useBackend } from '#web/backend/client.ts';
import { readTranscript } from '#web/backend/interviews.ts';
import { onInputsChange } from '#web/speech/inputs.ts';
import { keepAwake } from '#web/speech/wake-lock.ts';
import { getContributionClient } from '#web/submission/contribution-client.ts';
import { useFlow } from '#web/submission/flow.ts';
import { numericId } from '#web/submission/local-id.ts';
import { withRetries } from '#web/submission/retries.ts';
import { useRunningWork } from '#web/submission/use-running-work.ts';
import { Interview, type InterviewDeps } from './conversation/interview.ts';
import { type InterviewSnapshot, isActive } from './conversation/state.ts';
import type { KeptInterview } from './kept-interview.ts';
import { unlockBrowserVoice } from './voice/browser-voice.ts';
import { loadClient } from './voice/client.ts';
import { startCall } from './voice/start-call.ts';
import { bindInterview, requestTicket } from './voice/ticket.ts';

/**
 * Which contribution the interview belongs to (§4 'Interview id resolution'). The same object as long as the screen is
 * shown.
 */
export type InterviewIds = Readonly<{
  /** The id, if there is one. */
  known: () => string | undefined;
  /** Creates the id if needed; undefined where that failed. Never rejects. */
  ensure: () => Promise<string | undefined>;
}>;

type UseInterviewOptions = Readonly<{
  subject: InterviewSubject;
  ids: InterviewIds;
  /** Background for the interviewer. */
  context?: string;
  /** An interview to resume. */
  kept?: KeptInterview | undefined;
}>;

export type InterviewHandle = InterviewSnapshot & Readonly<{ interview: Interview; active: boolean }>;

/** The interview of one screen. Leaving the screen ends it and releases the microphone. */
export function useInterview({ subject, ids, context, kept }: UseInterviewOptions): InterviewHandle {
  const backend = useBackend();
  const { area } = useFlow();
  const interview = useMemo(() => {
    const request = { area: area.id, topic: subject, context };
    return new Interview(createInterviewDeps(backend, request, ids), kept);
  }, [backend, area, subject, context, ids, kept]);
  const snapshot = useSyncExternalStore(interview.subscribe, interview.snapshot);
  // A layout effect runs in the task that removes the screen; a plain effect would run later.
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
    return onInputsChange(getMediaDevices(), refresh);
  }, [interview]);
  const active = isActive(snapshot.conversation);
  useRunningWork(active, 'interview');
  return { ...snapshot, interview, active };
}

type Request = Readonly<{
  area: ReturnType<typeof useFlow>['area']['id'];
  topic: InterviewSubject;
  context: string | undefined;
}>;

function createInterviewDeps(backend: BackendClient, request: Request, ids: InterviewIds): InterviewDeps {
  let ticketed: number | undefined;
  return {
    preload: loadClient,
    unlock: unlockBrowserVoice,
    ticket: async ({ resume, textOnly, transcript }, signal) => {
      const token = await findAccessToken(backend);
      // Without a login only a contribution with its key opens the gateway (D9).
      const id = token === undefined ? await ids.ensure() : ids.known();
      ticketed = numericId(id);
      const local = resume === true && ticketed === undefined;
      const background = local ? transcript : request.context;
      return requestTicket(
        getContributionClient(backend, id),
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
    readTranscript: async () => {
      const id = numericId(ids.known());
      return id === undefined ? undefined : readTranscript(getContributionClient(backend, String(id)), id);
    },
    keepAwake: () => keepAwake('wakeLock' in navigator ? navigator.wakeLock : undefined, document),
    devices: getMediaDevices(),
    now: () => performance.now(),
  };
}

/** Makes the server write every turn to the row. After an error the transcript is still saved at the end. */
async function bind(
  backend: BackendClient,
  conversationId: string,
  ticketed: number | undefined,
  ids: InterviewIds,
): Promise<void> {
  const id = numericId(await ids.ensure());
  if (id === undefined || id === ticketed) return;
  const client = getContributionClient(backend, String(id));
  await withRetries(() => bindInterview(client, conversationId, id)).catch((error: unknown) => {
    console.warn('voice agent: not bound', error instanceof Error ? error.message : '');
  });
}

/** Undefined on pages that are neither https nor localhost, despite the types. */
function getMediaDevices(): MediaDevices | undefined {
  return 'mediaDevices' in navigator ? navigator.mediaDevices : undefined;
}

/** Seconds of an interview: `before` (ms) and, while it runs, the time since `since` (ms by `performance.now()`). */
export function useSeconds(before: number, since: number | undefined): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (since === undefined) return undefined;
    const tick = (): void => setNow(performance.now());
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [since]);
  const running = since === undefined ? 0 : Math.max(0, now - since);
  return Math.floor((before + running) / 1000);
}
