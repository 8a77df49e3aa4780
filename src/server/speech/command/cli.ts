import path from 'node:path';
import { readEnv, type Env } from '../../env.ts';
import { SpeechError } from '../errors.ts';
import { ModelError } from '../models/errors.ts';
import { openSpeechModels } from '../models/store.ts';
import { checkTranscription } from './check.ts';
import { createProgressBar } from './progress-bar.ts';
import { readCommand, UsageError, type Command } from './read-command.ts';
import {
  describeInstalled,
  describeModelError,
  describeRemoved,
  describeSpeechError,
  formatList,
  SERVICE_FIRST,
  USAGE,
} from './texts.ts';

// A model is readable for the server's account only, as everything in DATA_DIR.
process.umask(0o077);

/** `npm run speech -- …`. Exit code 0: done, 1: failed, 2: wrong arguments. */
process.exitCode = await main(process.argv.slice(2), process.env);

async function main(args: readonly string[], source: NodeJS.ProcessEnv): Promise<number> {
  try {
    const command = readCommand(args);
    process.stdout.write(command.kind === 'help' ? USAGE : await run(command, readEnv(source), source));
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(isUsage ? `${error.message}\n\n${USAGE}` : `${describeError(error)}\n`);
    return isUsage ? 2 : 1;
  }
}

async function run(command: Command, env: Env, source: NodeJS.ProcessEnv): Promise<string> {
  const models = openSpeechModels(env);
  switch (command.kind) {
    case 'install': {
      const { name } = await install(models, command, source);
      return describeInstalled(name) + (env.TRANSCRIPTION_URL === undefined ? '' : SERVICE_FIRST);
    }
    case 'check':
      return checkTranscription(env, resolvePath(command.file, source));
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
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const brought = resolvePath(file, source);
  try {
    return await models.install(name, {
      ...(brought === undefined ? {} : { file: brought }),
      signal: stopping.signal,
      onProgress: bar.show,
    });
  } finally {
    bar.end();
  }
}

/** npm changes to the project's folder; INIT_CWD is the caller's. */
function resolvePath(file: string | undefined, source: NodeJS.ProcessEnv): string | undefined {
  return file === undefined ? undefined : path.resolve(source['INIT_CWD'] ?? '.', file);
}

function describeError(error: unknown): string {
  if (error instanceof ModelError) return describeModelError(error);
  if (error instanceof SpeechError) return describeSpeechError(error.code);
  return error instanceof Error ? error.message : String(error);
}
