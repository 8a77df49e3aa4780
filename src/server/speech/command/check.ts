import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { TRANSCRIPTION_LANGUAGE, TRANSCRIPTION_TIMEOUT_MS } from '#contract/limits.ts';
import type { Env } from '../../env.ts';
import { checkRecording, readSample } from '../check/check-recording.ts';
import { detectAudioType, SNIFF_BYTES } from '../audio-type.ts';
import { describeTranscription, openTranscription } from '../transcription.ts';
import { formatCheck } from './texts.ts';

/** Transcribes the recording that comes with the server, or `file`, and says what an operator wants to know first. */
export async function checkTranscription(env: Env, file: string | undefined): Promise<string> {
  const { engine, close } = openTranscription(env, pino({ level: 'silent' }), TRANSCRIPTION_TIMEOUT_MS);
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  try {
    const source = await describeTranscription(env);
    if (file === undefined) {
      const { text, wordErrorRate, audioSeconds, seconds } = await checkRecording(
        engine,
        await readSample(),
        stopping.signal,
      );
      return formatCheck(source, { text, wordErrorRate, audioS: audioSeconds, seconds });
    }
    return formatCheck(source, await transcribeFile(engine, file, stopping.signal));
  } finally {
    await close();
  }
}

async function transcribeFile(
  engine: ReturnType<typeof openTranscription>['engine'],
  file: string,
  signal: AbortSignal,
): Promise<Parameters<typeof formatCheck>[1]> {
  const audio = await readFile(file);
  const type = await detectAudioType(file, audio.subarray(0, SNIFF_BYTES));
  const begun = performance.now();
  let audioS = Number.NaN;
  const { text } = await engine.transcribe({
    audio: (async function* () {
      yield audio;
    })(),
    type,
    language: async () => TRANSCRIPTION_LANGUAGE,
    ownKey: undefined,
    signal,
    onProgress: ({ totalS }) => (audioS = totalS),
  });
  return { text: text.trim(), wordErrorRate: undefined, audioS, seconds: (performance.now() - begun) / 1_000 };
}
