import type { VoiceTicket } from '#contract/voice.ts';
import { browserRecognition } from '#web/speech/recognition/index.ts';
import { heardByBrowser } from './browser-ears.ts';
import { openBrowserVoice, spokenByBrowser } from './browser-voice.ts';
import type { Call, Way } from './call.ts';
import { startClientCall } from './client-call.ts';

export type StartCallOptions = Readonly<{
  ticket: VoiceTicket;
  way: Way;
  inputId: string | undefined;
  /** `config.cloudRecognition`. */
  cloud: boolean;
  signal: AbortSignal;
}>;

/**
 * docs/interview.md 'What a client does': who listens and who speaks, the server or the browser. Where neither can
 * listen it is a conversation in writing. Rejects like `startClientCall`; no microphone stays open then.
 */
export async function startCall({ ticket, way, inputId, cloud, signal }: StartCallOptions): Promise<Call> {
  const textOnly = ticket.textOnly || way === 'typing';
  const Recognition = way === 'voice' && !ticket.capabilities.transcription ? browserRecognition() : undefined;
  const stream = Recognition === undefined ? undefined : await openStream(inputId, signal);
  try {
    // Before the line: afterwards nothing may stand between its end and the microphone's.
    const voice = way === 'voice' && !ticket.capabilities.speech ? await openBrowserVoice() : undefined;
    const client = await startClientCall({ ticket, textOnly, inputId, signal });
    const heard =
      Recognition === undefined || stream === undefined
        ? client
        : heardByBrowser(client, { stream, Recognition, cloud });
    return voice === undefined
      ? { ...heard, speaks: ticket.capabilities.speech && !textOnly }
      : spokenByBrowser(heard, voice);
  } catch (error) {
    stopAll(stream);
    throw error;
  }
}

/** Rejects as `getUserMedia` does; a microphone that is allowed too late is closed at once. */
async function openStream(inputId: string | undefined, signal: AbortSignal): Promise<MediaStream> {
  const device = inputId === undefined ? {} : { deviceId: { exact: inputId } };
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...device };
  const asked = navigator.mediaDevices.getUserMedia({ audio });
  const refused = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    const stream = await Promise.race([asked, refused]);
    signal.addEventListener('abort', () => stopAll(stream), { once: true });
    return stream;
  } catch (error) {
    asked.then(stopAll, () => undefined);
    throw error;
  }
}

function stopAll(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
