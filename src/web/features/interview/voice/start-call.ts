import type { VoiceTicket } from '#contract/voice.ts';
import { getBrowserRecognition } from '#web/speech/browser-recognition.ts';
import { withBrowserRecognition } from './browser-listening.ts';
import { openBrowserVoice, withBrowserVoice } from './browser-voice.ts';
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
 * Lets server or browser listen and speak (docs/interview.md 'What a client does'). Where neither can listen the person
 * types. Rejects like `startClientCall`, with all microphones closed.
 */
export async function startCall({ ticket, way, inputId, cloud, signal }: StartCallOptions): Promise<Call> {
  const textOnly = ticket.textOnly || way === 'typing';
  const Recognition = way === 'voice' && !ticket.capabilities.transcription ? getBrowserRecognition() : undefined;
  const stream = Recognition === undefined ? undefined : await openStream(inputId, signal);
  try {
    // Before the connection: afterwards its end must close the microphone at once.
    const voice = way === 'voice' && !ticket.capabilities.speech ? await openBrowserVoice() : undefined;
    const client = await startClientCall({ ticket, textOnly, inputId, signal });
    const listening =
      Recognition === undefined || stream === undefined
        ? client
        : withBrowserRecognition(client, { stream, Recognition, cloud });
    return voice === undefined
      ? { ...listening, speaks: ticket.capabilities.speech && !textOnly }
      : withBrowserVoice(listening, voice);
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
