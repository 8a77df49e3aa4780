import { expect } from 'vitest';
import type { FlowRun } from './render-flow.tsx';

/** For tests: the screen's own picker, set to take every chosen file, as a dropped file would be. */
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
