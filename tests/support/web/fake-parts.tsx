/** Recorder and transcription have tests of their own; for the screen's they are told what to do. */
import { act, screen } from '@testing-library/react';
import { useEffect, useSyncExternalStore } from 'react';
import { expect, vi } from 'vitest';
import type { AreaId } from '#contract/areas.ts';
import type { FlowState } from '#web/submission/flow.ts';
import type { FakeBackend } from '#tests/support/web/fake-backend.ts';
import { type FlowRun, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { EMPTY, type RecorderNotice } from '#web/features/voice-message/recording/state.ts';
import type { RecorderHandle, UseRecorderOptions } from '#web/features/voice-message/recording/use-recorder.ts';
import type { TranscriptionResult } from '#web/features/voice-message/transcription/transcribe.ts';
import type { TranscriptionHandle } from '#web/features/voice-message/transcription/use-transcription.ts';
import { VoiceMessageScreen } from '#web/features/voice-message/voice-message-screen.tsx';

let handle = idle();
let notify: UseRecorderOptions['onNotice'] | undefined;
let run: TranscriptionHandle['run'] = vi.fn();
const changed = new Set<() => void>();

const blob = new Blob(['ton'], { type: 'audio/webm;codecs=opus' });
export const recording = { blob, extension: 'webm', mime: 'audio/webm;codecs=opus', seconds: 12, bytes: 3 } as const;

/** In the place of the hook of `./recording/use-recorder.ts`. */
export function useFakeRecorder({ onNotice }: UseRecorderOptions): RecorderHandle {
  useEffect(() => hear(onNotice), [onNotice]);
  return useSyncExternalStore(subscribe, () => handle);
}

/** In the place of the hook of `./transcription/use-transcription.ts`. */
export function useFakeTranscription(): TranscriptionHandle {
  return { state: { status: 'idle' }, run: (...given) => run(...given), cancel: () => {} };
}

export function fakeRecorder(): RecorderHandle {
  return handle;
}

export function reportNotice(notice: RecorderNotice): void {
  if (notify === undefined) expect.fail('nobody listens to the recorder');
  notify(notice);
}

export function resetParts(): void {
  handle = idle();
  notify = undefined;
  says({ ok: true, text: 'Hallo Welt', segments: [] });
}

export function setRecorder(change: Partial<RecorderHandle>): void {
  handle = { ...handle, ...change };
  for (const call of changed) call();
}

export function recorded(): void {
  setRecorder({ state: { status: 'recorded', recording }, recording, seconds: 12 });
}

/** What the transcription answers from now on; returns its `run`. */
export function says(outcome: TranscriptionResult | Promise<TranscriptionResult> | Error): TranscriptionHandle['run'] {
  run = vi.fn(() => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome)));
  return run;
}

export async function openVoiceMessage(
  fake: FakeBackend,
  area: AreaId = 'generic',
  state: FlowState = {},
): Promise<FlowRun> {
  const flow = renderFlow(<VoiceMessageScreen />, { area, state, backend: fake.backend });
  await waitForState(() => {
    expect(screen.getByRole('heading', { name: 'Sprachnachricht' })).toBeTruthy();
    expect(notify).toBeDefined();
  });
  return flow;
}

export function button(name: string): HTMLElement {
  return screen.getByRole('button', { name });
}

export async function continueWith({ user }: FlowRun, name = 'Weiter'): Promise<void> {
  act(recorded);
  await user.click(button(name));
}

function hear(call: UseRecorderOptions['onNotice']): void {
  notify = call;
}

function subscribe(call: () => void): () => void {
  changed.add(call);
  return () => changed.delete(call);
}

function idle(): RecorderHandle {
  return {
    ...EMPTY,
    seconds: 0,
    recording: undefined,
    readLevel: () => 0,
    start: vi.fn(),
    stop: vi.fn(),
    pause: vi.fn(),
    resume: vi.fn(),
    hold: () => () => undefined,
    discardAll: vi.fn(() => setRecorder({ state: { status: 'idle' }, recording: undefined, seconds: 0 })),
    putAside: vi.fn(() =>
      setRecorder({ state: { status: 'idle' }, recording: undefined, seconds: 0, previous: handle.recording }),
    ),
    keepPrevious: vi.fn(() => {
      setRecorder({ previous: undefined });
      recorded();
    }),
    restore: vi.fn(),
    discardRecovered: vi.fn(),
    inputId: undefined,
    chooseInput: vi.fn(),
  };
}
