import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Clock } from '#server/voice-agent/clock.ts';
import type { Talk } from './voice-client.ts';

const RATE = 16_000;
const CHUNK_MS = 250;

/** The PCM of a fixture (16 kHz, 16 bit, mono). */
export async function fixturePcm(name: string): Promise<Buffer> {
  const file = await readFile(fileURLToPath(new URL(`../fixtures/voice/${name}`, import.meta.url)));
  return file.subarray(file.indexOf('data') + 8);
}

export function silence(ms: number): Buffer {
  return Buffer.alloc(Math.round((RATE * ms) / 1000) * 2);
}

const LOOK_MS = 20;
/** Between two looks at the wall's clock, more than this is a process that stood still. */
const STALL_MS = 60;

/**
 * Time that runs faster than the wall's, for client and server alike: a long conversation in a short test. It runs
 * while somebody waits for it, and stands still with the process: else what came due meanwhile would come at once,
 * before the words that were spoken meanwhile.
 */
export function fastClock(factor: number): Clock {
  const waiting = new Set<() => void>();
  let looks: NodeJS.Timeout | undefined;
  let real = performance.now();
  let time = real * factor;
  const now = (): number => {
    const at = performance.now();
    time += Math.min(at - real, STALL_MS) * factor;
    real = at;
    return time;
  };
  const after: Clock['after'] = (ms, work) => {
    const dueAt = now() + ms;
    let timer: NodeJS.Timeout;
    const look = (): void => {
      const left = dueAt - now();
      if (left > 0) return void (timer = setTimeout(look, left / factor));
      cancel();
      return work();
    };
    const cancel = (): void => {
      clearTimeout(timer);
      waiting.delete(cancel);
      if (waiting.size > 0) return;
      clearInterval(looks);
      looks = undefined;
    };
    timer = setTimeout(look, ms / factor);
    waiting.add(cancel);
    looks ??= setInterval(now, LOOK_MS).unref();
    return cancel;
  };
  return { now, after };
}

/** A microphone: sends audio in real time of that clock, in chunks of a quarter second. Resolves when all is sent. */
export async function speak(call: Talk, pcm: Buffer, clock: Clock): Promise<void> {
  const chunk = (RATE * CHUNK_MS * 2) / 1000;
  for (let at = 0; at < pcm.length; at += chunk) {
    call.audio.speak(pcm.subarray(at, at + chunk));
    await new Promise<void>((resolve) => void clock.after(CHUNK_MS, resolve));
  }
}
