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

/** Time that runs faster than the wall's, for client and server alike: a long conversation in a short test. */
export function fastClock(factor: number): Clock {
  return {
    now: () => performance.now() * factor,
    after: (ms, work) => {
      const timer = setTimeout(work, ms / factor);
      return () => clearTimeout(timer);
    },
  };
}

/** A microphone: sends audio in real time of that clock, in chunks of a quarter second. Resolves when all is sent. */
export async function speak(call: Talk, pcm: Buffer, clock: Clock): Promise<void> {
  const chunk = (RATE * CHUNK_MS * 2) / 1000;
  for (let at = 0; at < pcm.length; at += chunk) {
    call.audio.speak(pcm.subarray(at, at + chunk));
    await new Promise<void>((resolve) => void clock.after(CHUNK_MS, resolve));
  }
}
