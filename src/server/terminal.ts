import { pino } from 'pino';
import { parseJson } from '#lib/parse-json.ts';
import type { Env } from './env.ts';

/** Where `npm start` writes: a person's terminal, or the log of a service manager. */
type Output = Readonly<{ write: (text: string) => unknown; isTTY?: boolean | undefined }>;

const SECOND_MS = 1_000;
const TICK_MS = 1_000;

/** Shows steps only on a terminal. `format`: LOG_FORMAT. */
export function openStartScreen(output: Output, format: 'auto' | 'json' | 'text') {
  const isTerminal = output.isTTY === true;
  const hasText = format === 'text' || (format === 'auto' && isTerminal);
  const steps = isTerminal && hasText ? createSteps(output) : undefined;
  const log = hasText ? createTextLog(output, isTerminal) : undefined;
  return {
    /** The destination of the log; undefined: JSON lines on standard output. */
    log,
    /** Names the step that begins now; the one before it is done. */
    step: (text: string): void => steps?.begin(text),
    /** Ends the last step and prints the block with the address. Later lines of the log come after it. */
    finish: (block: string): void => {
      steps?.end();
      output.write(block);
      log?.release();
    },
    /** Leaves the line of the step that failed. */
    fail: (): void => {
      steps?.leave();
      log?.release();
    },
  };
}

export type StartScreen = ReturnType<typeof openStartScreen>;

/** One line a step, with the seconds that it has taken so far. */
function createSteps(output: Output) {
  let current: Readonly<{ text: string; begun: number; timer: NodeJS.Timeout }> | undefined;
  const show = (end: string): void => {
    if (current === undefined) return;
    const seconds = Math.round((performance.now() - current.begun) / SECOND_MS);
    output.write(`\r\u001B[2K  ${current.text} ...${seconds > 0 ? ` ${seconds} s` : ''}${end}`);
  };
  const close = (end: string): void => {
    show(end);
    clearInterval(current?.timer);
    current = undefined;
  };
  return {
    begin: (text: string) => {
      close(' fertig\n');
      current = { text, begun: performance.now(), timer: setInterval(() => show(''), TICK_MS).unref() };
      show('');
    },
    end: () => close(' fertig\n'),
    leave: () => close('\n'),
  };
}

const WARN = 40;

/** During the start on a terminal, the steps tell what happens: warnings wait until its end, the rest is left out. */
function createTextLog(output: Output, isTerminal: boolean) {
  let held: string[] | undefined = isTerminal ? [] : undefined;
  return {
    write: (line: string) => {
      if (held === undefined) output.write(formatLogLine(line));
      else if (readLevel(line) >= WARN) held.push(formatLogLine(line));
    },
    release: () => {
      const lines = held ?? [];
      held = undefined;
      for (const line of lines) output.write(line);
    },
  };
}

function readRecord(line: string): Readonly<Record<string, unknown>> {
  const record = parseJson(line);
  return typeof record === 'object' && record !== null ? { ...record } : { msg: line.trim() };
}

function readLevel(line: string): number {
  const { level } = readRecord(line);
  return typeof level === 'number' ? level : WARN;
}

/** `14:03:07 WARN  database connection lost  cause=…` */
export function formatLogLine(line: string): string {
  const { level, time, msg, pid: _pid, hostname: _hostname, ...facts } = readRecord(line);
  const clock = new Date(typeof time === 'number' ? time : Date.now()).toLocaleTimeString('de-DE');
  const name = (pino.levels.labels[Number(level)] ?? 'info').toUpperCase().padEnd(5);
  const rest = Object.entries(facts).map(([key, value]) => `${key}=${formatValue(value)}`);
  return `${[`${clock} ${name} ${typeof msg === 'string' ? msg : ''}`, ...rest].join('  ')}\n`;
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type StartFacts = Readonly<{
  env: Env;
  url: string;
  /** Of the first accounts; empty where there were some. */
  accounts: string;
  /** One line about what transcribes. */
  transcription: string;
}>;

type Optional = readonly [name: string, variable: keyof Env];

/** What an installation gets along without, in the order in which it is missed. */
const OPTIONAL: readonly Optional[] = [
  ['öffentliche Adresse', 'PUBLIC_URL'],
  ['Mailversand', 'SMTP_URL'],
  ['Impressum', 'BRAND_IMPRINT_URL'],
  ['Datenschutz', 'BRAND_PRIVACY_URL'],
  ['Sprachmodell', 'LLM_URL'],
  ['Stimme im Interview', 'TTS_URL'],
  ['Frist für Beiträge', 'RETENTION_DAYS'],
];

/** The application's own pages say that they are missing (D8). */
const UNSET: readonly unknown[] = [undefined, '/impressum', '/datenschutz'];

/** The end of `npm start`: address, accounts, and what is not configured. */
export function formatStartBlock({ env, url, accounts, transcription }: StartFacts): string {
  const address = env.PUBLIC_URL ?? url;
  const missing = listMissing(env).map(([name, variable]) => `    ${name} (${variable})`);
  return [
    '',
    accounts,
    `  ${transcription}`,
    ...(missing.length === 0 ? [] : ['  Nicht eingerichtet:', ...missing]),
    '',
    `  ${env.BRAND_PRODUCT}: ${address}`,
    `  Einrichtung: ${address}/admin/einrichtung`,
    '',
    '',
  ].join('\n');
}

function listMissing(env: Env): readonly Optional[] {
  const hosted = env.VOICE_AGENT_URL !== undefined;
  return OPTIONAL.filter(([, name]) => UNSET.includes(env[name]) && !(hosted && name === 'TTS_URL'));
}
