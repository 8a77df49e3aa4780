import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { DeskFailure } from './faults.ts';

const PATIENCE_MS = 30_000;
const NOT_FOUND = 404;
const RANGE_FAULT = 416;

const Refusal = z.object({ statusCode: z.coerce.number() });

/** Where the backend at `base` hands out a stored file: to a bearer, or to whoever has its signature. */
export function storedAddress(base: string, path: string, signature?: string): string {
  const name = path.split('/').map(encodeURIComponent).join('/');
  if (signature === undefined) return `${base}/storage/v1/object/authenticated/Media/${name}`;
  return `${base}/storage/v1/object/sign/Media/${name}?token=${signature}`;
}

/**
 * A stored file as the backend hands it out: 200, 206 or 416. Without `fetch`, which copies each byte once more. Throws
 * DeskFailure: file_missing, backend_failed.
 */
export async function openStored(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const answer = await ask(url, headers, signal).catch((cause: unknown) => {
    throw new DeskFailure('backend_failed', { cause });
  });
  const { statusCode = 0 } = answer;
  if (statusCode < 300 || statusCode === RANGE_FAULT) return answer;
  throw new DeskFailure((await isMissing(answer)) ? 'file_missing' : 'backend_failed');
}

function ask(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? getHttps : getHttp;
    const asked = get(url, { headers, signal, timeout: PATIENCE_MS }, (answer) => {
      // From here on the receiver's pace counts, and it may pause for long.
      asked.setTimeout(0);
      resolve(answer);
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', reject);
  });
}

/** The real status stands in the body (supabase-contract §3.1). */
async function isMissing(answer: IncomingMessage): Promise<boolean> {
  const body = await text(answer).catch(() => '');
  if (answer.statusCode === NOT_FOUND) return true;
  try {
    return Refusal.safeParse(JSON.parse(body)).data?.statusCode === NOT_FOUND;
  } catch {
    return false;
  }
}
