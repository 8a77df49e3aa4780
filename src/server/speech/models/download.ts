import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDiskFull } from '#lib/error-code.ts';
import { startDeadline } from '../deadline.ts';
import { ModelError, type CatalogueModel } from './catalogue.ts';
import { checkFreeRoom, type FreeRoom } from './files.ts';

/** `verifying` reads the whole file once more from the disk. */
export type InstallProgress = Readonly<{
  phase: 'downloading' | 'verifying';
  doneBytes: number;
  totalBytes: number;
}>;

/** ms. Only tests shorten them. */
export type DownloadTiming = Readonly<{
  /** Without a byte before the connection is given up. */
  silenceMs?: number;
  /** Before the second try; each further one waits twice as long. */
  retryMs?: number;
}>;

type Download = DownloadTiming &
  Readonly<{
    url: string;
    /** The unfinished file; what it holds already is not fetched again. */
    part: string;
    model: CatalogueModel;
    freeRoom: FreeRoom;
    signal: AbortSignal;
    onProgress: (progress: InstallProgress) => void;
  }>;

const SILENCE_MS = 30_000;
const RETRY_MS = 1_000;
/** One after the other without a byte. */
const FAILED_TRIES_MAX = 5;
const REDIRECTS_MAX = 5;
const REPORT_EVERY_MS = 100;
const HTTP = { ok: 200, partial: 206, rangeNotSatisfiable: 416, tooMany: 429, serverError: 500 } as const;

/** Fills `part`, over as many connections as it takes. The caller verifies the content. Throws ModelError. */
export async function download(task: Download): Promise<void> {
  let failedTries = 0;
  for (;;) {
    const before = await getPartSize(task);
    if (before === task.model.bytes) return;
    try {
      await checkFreeRoom(path.dirname(task.part), task.model.bytes - before, task.freeRoom);
      return await fetchRest(task, before);
    } catch (error) {
      if (task.signal.aborted || isFinal(error)) throw error;
      failedTries = (await getPartSize(task)) > before ? 0 : failedTries + 1;
      if (failedTries >= FAILED_TRIES_MAX) {
        throw error instanceof ModelError ? error : new ModelError('source_unreachable', { cause: error });
      }
      const pauseMs = (task.retryMs ?? RETRY_MS) * 2 ** failedTries;
      await wait(pauseMs, undefined, { signal: task.signal });
    }
  }
}

/** A source that is overloaded or failing may recover; a refusal or a wrong file stays as it is. */
function isFinal(error: unknown): boolean {
  if (isDiskFull(error)) return true;
  if (!(error instanceof ModelError)) return false;
  const { status = 0 } = error.details;
  return !(error.code === 'source_refused' && (status === HTTP.tooMany || status >= HTTP.serverError));
}

/** A part longer than the model belongs to another file. */
async function getPartSize({ part, model }: Download): Promise<number> {
  const size = (await stat(part).catch(() => undefined))?.size ?? 0;
  if (size <= model.bytes) return size;
  await rm(part, { force: true });
  return 0;
}

async function fetchRest(task: Download, from: number): Promise<void> {
  const deadline = startDeadline(task.silenceMs ?? SILENCE_MS);
  const over = new AbortController();
  const signal = AbortSignal.any([task.signal, deadline.signal, over.signal]);
  try {
    const answer = await follow(task.url, from, signal);
    const start = readStart(answer, task, from);
    if (start === undefined || answer.body === null) {
      await rm(task.part, { force: true });
      throw new Error('the source cannot continue the download');
    }
    const handle = await open(task.part, start === 0 ? 'w' : 'a', 0o600);
    try {
      await writeBody(answer.body, { ...task, handle, start, extend: deadline.extend });
      await handle.sync();
    } finally {
      await handle.close();
    }
  } finally {
    deadline.clear();
    // An unread body would keep its connection open.
    over.abort();
  }
}

/** Follows redirects by hand, because one to an unencrypted address is refused. */
async function follow(url: string, from: number, signal: AbortSignal): Promise<Response> {
  let address = new URL(url);
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const headers = { 'accept-encoding': 'identity', ...(from === 0 ? {} : { range: `bytes=${from}-` }) };
    const answer = await fetch(address, { headers, redirect: 'manual', signal });
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status > 399 || location === null) return answer;
    await answer.body?.cancel();
    const next = URL.parse(location, address.href);
    const isSafe = next?.protocol === 'https:' || (next?.protocol === 'http:' && address.protocol === 'http:');
    if (next === null || !isSafe) throw new ModelError('source_refused', { status: answer.status });
    address = next;
  }
  throw new ModelError('source_refused', { status: 310 });
}

/** Reads where the body starts; undefined where the part has to be fetched from the beginning. Throws ModelError. */
function readStart(answer: Response, { model }: Download, from: number): number | undefined {
  if (answer.status === HTTP.rangeNotSatisfiable) return undefined;
  if (answer.status !== HTTP.ok && answer.status !== HTTP.partial)
    throw new ModelError('source_refused', { status: answer.status });
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(answer.headers.get('content-range') ?? '');
  const start = answer.status === HTTP.partial ? Number(range?.[1] ?? Number.NaN) : 0;
  const length = answer.headers.get('content-length');
  const total = range?.[2] ?? (length === null ? '*' : String(start + Number(length)));
  if (total !== '*' && Number(total) !== model.bytes) throw new ModelError('wrong_sum');
  return start === 0 || start === from ? start : undefined;
}

type Writing = Download & Readonly<{ handle: FileHandle; start: number; extend: () => void }>;

async function writeBody(body: AsyncIterable<Uint8Array>, writing: Writing): Promise<void> {
  const { handle, model, onProgress } = writing;
  let doneBytes = writing.start;
  let reported = -1;
  const report = (): void => {
    if (reported !== doneBytes) onProgress({ phase: 'downloading', doneBytes, totalBytes: model.bytes });
    reported = doneBytes;
  };
  report();
  const timer = setInterval(report, REPORT_EVERY_MS);
  try {
    for await (const piece of body) {
      writing.extend();
      if (doneBytes + piece.byteLength > model.bytes) throw new ModelError('wrong_sum');
      await handle.appendFile(piece);
      doneBytes += piece.byteLength;
    }
  } finally {
    clearInterval(timer);
  }
  if (doneBytes < model.bytes) throw new Error('the source ended early');
  report();
}
