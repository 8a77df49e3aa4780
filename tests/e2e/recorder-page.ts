import { Recorder } from '#web/features/voice-message/recording/recorder.ts';
import { browserRecorderDeps } from '#web/features/voice-message/recording/recorder-deps.ts';
import type { SendProgress } from '#web/backend/send-form.ts';
import { transcribe } from '#web/features/voice-message/transcription/transcribe.ts';

/** The recorder without a screen, for what has to be seen in a real browser. */
const recorder = new Recorder(browserRecorderDeps(), { owner: 'anna', area: 'generic' });
recorder.open();

export type RecorderPage = typeof page;

const page = {
  recorder,
  /** The state without what cannot leave the browser. */
  seen: () => {
    const { state, bytes, safe, recovered } = recorder.snapshot();
    const level = recorder.readLevel();
    return { status: state.status, level, bytes, safe, recovered, seconds: 'seconds' in state ? state.seconds : 0 };
  },
  /** Whether the browser can play what was recorded. */
  plays: async () => {
    const { state } = recorder.snapshot();
    if (state.status !== 'recorded') return false;
    const audio = new Audio(URL.createObjectURL(state.recording.blob));
    return new Promise<boolean>((resolve) => {
      audio.addEventListener('loadeddata', () => resolve(true));
      audio.addEventListener('error', () => resolve(false));
    });
  },
  /** Hands the recording to the server that served this page. */
  transcribe: async (accessToken: string) => {
    const { state } = recorder.snapshot();
    if (state.status !== 'recorded') throw new Error('nothing recorded');
    const phases = new Set<SendProgress['phase']>();
    const onProgress = ({ phase }: SendProgress): void => void phases.add(phase);
    const result = await transcribe({ recording: state.recording, accessToken, onProgress });
    return { result, phases: [...phases] };
  },
};
Object.assign(globalThis, { page });
