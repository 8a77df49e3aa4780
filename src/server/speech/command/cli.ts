import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { pino } from 'pino';
import { TRANSCRIPTION_LANGUAGE, TRANSCRIPTION_TIMEOUT_MS } from '#contract/limits.ts';
import { getMessage } from '#lib/error-code.ts';
import { abortOnSignal, endWithCode, formatBytes, resolveArgument } from '../../command.ts';
import { readEnv, type Env } from '../../env.ts';
import { detectAudioType, SNIFF_BYTES } from '../audio-type.ts';
import { checkRecording, readSample } from '../check/check-recording.ts';
import { SpeechError } from '../errors.ts';
import type { InstallProgress } from '../models/download.ts';
import { ModelError } from '../models/catalogue.ts';
import { openSpeechModels } from '../models/store.ts';
import { describeTranscription, openTranscription } from '../transcription.ts';
import {
  describeInstalled,
  describeModelError,
  describeRemoved,
  describeSpeechError,
  describeUnreadable,
  formatCheck,
  formatList,
  readCommand,
  SERVICE_FIRST,
  USAGE,
  type Command,
} from './read-command.ts';

const WIDTH = 30;
const TITLES = { downloading: 'Laden ', verifying: 'Prüfen' } as const;

// A model is readable for the server's account only, as everything in DATA_DIR.
process.umask(0o077);

/** `npm run speech -- …`. Exit code 0: done, 1: failed, 2: wrong arguments. */
process.exitCode = await endWithCode(main, { usage: USAGE, describe: describeError });

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  const { env: source } = process;
  process.stdout.write(command.kind === 'help' ? USAGE : await run(command, readEnv(source), source));
}

async function run(command: Command, env: Env, source: NodeJS.ProcessEnv): Promise<string> {
  const models = openSpeechModels(env);
  switch (command.kind) {
    case 'install': {
      const { name } = await install(models, command, source);
      return describeInstalled(name) + (env.TRANSCRIPTION_URL === undefined ? '' : SERVICE_FIRST);
    }
    case 'check':
      return checkTranscription(env, command.file === undefined ? undefined : resolveArgument(command.file, source));
    case 'remove':
      await models.remove(command.name);
      return describeRemoved(command.name);
    default:
      return formatList(await models.list());
  }
}

async function install(
  models: ReturnType<typeof openSpeechModels>,
  { name, file }: Extract<Command, { kind: 'install' }>,
  source: NodeJS.ProcessEnv,
) {
  const bar = createProgressBar(process.stderr);
  try {
    return await models.install(name, {
      ...(file === undefined ? {} : { file: resolveArgument(file, source) }),
      signal: abortOnSignal(),
      onProgress: bar.show,
    });
  } finally {
    bar.end();
  }
}

function describeError(error: unknown): string {
  if (error instanceof ModelError) return describeModelError(error);
  if (error instanceof SpeechError) return describeSpeechError(error.code);
  return getMessage(error);
}

/** Transcribes the recording that comes with the server, or `file`, and says what an operator wants to know first. */
async function checkTranscription(env: Env, file: string | undefined): Promise<string> {
  const { engine, close } = openTranscription(env, pino({ level: 'silent' }), TRANSCRIPTION_TIMEOUT_MS);
  const signal = abortOnSignal();
  try {
    const source = await describeTranscription(env);
    if (file === undefined) {
      const { audioSeconds: audioS, ...found } = await checkRecording(engine, await readSample(), signal);
      return formatCheck(source, { ...found, audioS });
    }
    return formatCheck(source, await transcribeFile(engine, file, signal));
  } finally {
    await close();
  }
}

async function transcribeFile(
  engine: ReturnType<typeof openTranscription>['engine'],
  file: string,
  signal: AbortSignal,
): Promise<Parameters<typeof formatCheck>[1]> {
  const audio = await readFile(file).catch((cause: unknown) => {
    throw new Error(describeUnreadable(file), { cause });
  });
  const type = await detectAudioType(file, audio.subarray(0, SNIFF_BYTES));
  const begun = performance.now();
  let audioS: number | undefined;
  const { text } = await engine.transcribe({
    audio: Readable.from([audio]),
    type,
    language: async () => TRANSCRIPTION_LANGUAGE,
    ownKey: undefined,
    signal,
    onProgress: ({ totalS }) => (audioS = totalS),
  });
  return { text: text.trim(), wordErrorRate: undefined, audioS, seconds: (performance.now() - begun) / 1_000 };
}

/** Draws one line again and again on a terminal; writes a line for each tenth elsewhere, as a log file wants it. */
function createProgressBar(out: Pick<WriteStream, 'write' | 'isTTY'>) {
  let last = '';
  return {
    show: (progress: InstallProgress): void => {
      const line = out.isTTY ? formatBar(progress) : formatTenth(progress);
      if (line === last) return;
      last = line;
      out.write(out.isTTY ? `\r${line}` : `${line}\n`);
    },
    end: (): void => void (out.isTTY && last !== '' && out.write('\n')),
  };
}

function formatBar({ phase, doneBytes, totalBytes }: InstallProgress): string {
  const share = doneBytes / totalBytes;
  const filled = Math.floor(share * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${TITLES[phase]} ${bar} ${percent}  ${formatBytes(doneBytes)} von ${formatBytes(totalBytes)}`;
}

function formatTenth({ phase, doneBytes, totalBytes }: InstallProgress): string {
  return `${TITLES[phase].trim()} ${Math.floor((doneBytes / totalBytes) * 10) * 10} %`;
}
