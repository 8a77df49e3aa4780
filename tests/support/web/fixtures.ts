import { expect, vi } from 'vitest';
import type { Entry } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import type { FlowRun } from '#tests/support/web/render-flow.tsx';

/** For tests: the screen's own picker, told to take whatever is chosen, as a dropped file would be. */
export async function chooseFiles({ user }: FlowRun, ...files: File[]): Promise<void> {
  const input = document.querySelector('input[type=file]');
  if (!(input instanceof HTMLInputElement)) return expect.fail('no file input');
  input.multiple = true;
  input.accept = '';
  await user.upload(input, files);
}

/** A file that claims to be that large. */
export function sized(file: File, bytes: number): File {
  Object.defineProperty(file, 'size', { value: bytes });
  return file;
}

/** jsdom has no object addresses. */
export function stubObjectUrls(): void {
  URL.createObjectURL = () => `blob:${Math.random()}`;
  URL.revokeObjectURL = () => {};
}

/** For tests: what lies in the outbox of this owner, part by part. */
export async function keptBy(owner: string): Promise<readonly (Pick<Entry, 'contentId'> & { parts: string[] })[]> {
  const entries = await browserOutbox().store.list(owner);
  return entries.map(({ contentId, parts }) => ({
    contentId,
    parts: parts.map(({ content }) => ('bytes' in content ? content.name : content.kind)),
  }));
}

export async function emptyOutbox(owner: string): Promise<void> {
  const outbox = browserOutbox();
  for (const { id } of await outbox.store.list(owner)) await outbox.remove(id);
  // Screens see what was last read.
  await vi.waitUntil(() => outbox.getEntries(owner)?.length === 0);
}

export const ADA_ID = '5c1f9f0e-0000-4000-8000-000000000001';

/** Puts a session where supabase-js looks for it; it has not expired, so the backend is not asked. */
export function logIn(factors: readonly Readonly<{ status: string }>[] = []): void {
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '');
  const expires_at = Math.floor(Date.now() / 1000) + 3600;
  const user = { id: ADA_ID, email: 'ada@beispiel.test', aud: 'authenticated', factors };
  const access_token = `${part({ alg: 'ES256' })}.${part({ sub: user.id, exp: expires_at })}.c2ln`;
  const session = { access_token, refresh_token: 'r', token_type: 'bearer', expires_in: 3600, expires_at, user };
  localStorage.setItem('sb-beitraege-auth-token', JSON.stringify(session));
}

/** From now on the device no longer gives this file: it was moved, or the gallery took it away. */
export function loseFile<Lost extends Blob>(file: Lost): Lost {
  const arrayBuffer = () => Promise.reject(new DOMException('lost', 'NotReadableError'));
  const blob: Blob = file;
  vi.spyOn(blob, 'slice').mockImplementation(() => Object.assign(new Blob(), { arrayBuffer }));
  return file;
}
