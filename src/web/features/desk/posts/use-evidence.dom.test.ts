import { renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { EvidenceTask } from './evidence-worker.ts';
import { nameFact, useEvidence } from './use-evidence.ts';

const name = (body: string, text: string) => {
  const start = body.indexOf(text);
  return nameFact(body, { start, end: start + text.length, text });
};

test.each([
  ['Sie steht in Halle 7.', '7', 'Halle 7'],
  ['7 Teile', '7', '7'],
  ['Halle 3, 7 Teile', '7', '7'],
  ['mit der Siemens AG', 'Siemens AG', 'Siemens AG'],
])('Names a short fact with the word before it (%#)', (body, text, shown) => expect(name(body, text)).toBe(shown));

test('A worker that fails answers with nothing found, and the next text has a new one with the material', async () => {
  const tasks: EvidenceTask[][] = [];
  vi.stubGlobal(
    'Worker',
    class extends EventTarget {
      #tasks: EvidenceTask[] = [];
      constructor() {
        super();
        tasks.push(this.#tasks);
      }
      postMessage(task: EvidenceTask): void {
        this.#tasks.push(task);
        if ('id' in task) queueMicrotask(() => this.dispatchEvent(new Event('error')));
      }
      terminate(): void {}
    },
  );
  const sources = [{ kind: 'transcript', text: 'Ein Kran.' }] as never;
  const { result, unmount } = renderHook(() => useEvidence(sources));
  expect(await result.current('Ein Kran.')).toEqual([]);
  expect(await result.current('Ein Kran.')).toEqual([]);
  expect(tasks).toEqual([
    [{ sources }, { id: 1, body: 'Ein Kran.' }],
    [{ sources }, { id: 2, body: 'Ein Kran.' }],
  ]);
  unmount();
});
