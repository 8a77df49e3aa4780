import { act, render, waitFor } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { useMemo, useState, type ReactNode } from 'react';
import { expect, vi } from 'vitest';
import { AREAS, type Area, type AreaId, type Topic } from '#contract/areas.ts';
import { UPLOAD_RETRY_DELAY_MS } from '#contract/limits.ts';
import { BackendProvider, type BackendClient } from '#web/backend/client.ts';
import { FlowProvider, type FlowState, type FlowTarget, type Way } from '#web/submission/flow.ts';
import { ToastProvider } from '#web/ui/toast.tsx';
// Fetched when they are needed; frozen time would not wait for that.
import '#web/submission/outbox/keeping.ts';
import '#web/submission/sending.ts';
import '#web/ui/toaster.tsx';
import { afterPaint, tellScreenShown } from '#web/ui/after-load.ts';
import { STATE_MS } from '../time-limits.ts';

// What waits for the first screen goes on at once, also where time is frozen.
tellScreenShown();
await afterPaint();

export type FlowRun = Readonly<{
  went: FlowTarget[];
  user: UserEvent;
  /** Takes the screen away; toasts are still shown. */
  leave: () => void;
  unmount: () => void;
}>;

export type FlowPlace = Readonly<{
  area?: AreaId;
  state?: FlowState;
  way?: Way;
  topic?: Topic;
  backend: BackendClient;
}>;

/** Renders a screen as the application does, with its toasts, and writes down where it sends the user. */
export function renderFlow(
  screen: ReactNode,
  { area = 'generic', state = {}, way, topic, backend }: FlowPlace,
): FlowRun {
  const went: FlowTarget[] = [];
  const place = AREAS.find((candidate) => candidate.id === area) ?? expect.fail(area);
  const draw = (shown: ReactNode) => (
    <BackendProvider value={backend}>
      <FlowHistory area={place} first={state} way={way} topic={topic} went={went}>
        <ToastProvider>{shown}</ToastProvider>
      </FlowHistory>
    </BackendProvider>
  );
  const { unmount, rerender } = render(draw(screen));
  return { went, unmount, leave: () => rerender(draw(null)), user: userEvent.setup({ delay: null }) };
}

type FlowHistoryProps = Readonly<{
  area: Area;
  first: FlowState;
  way: Way | undefined;
  topic: Topic | undefined;
  went: FlowTarget[];
  children: ReactNode;
}>;

/** A step to another stage of the same screen is an entry of its history; every other target is only written down. */
function FlowHistory({ area, first, way, topic, went, children }: FlowHistoryProps): ReactNode {
  const [entries, setEntries] = useState<readonly FlowState[]>([first]);
  const flow = useMemo(
    () => ({
      area,
      state: entries.at(-1) ?? {},
      way,
      topic,
      go: (target: FlowTarget) => {
        const next = 'state' in target ? target.state : undefined;
        if (next?.stage === undefined) went.push(target);
        else setEntries((now) => [...(target.replace === true ? now.slice(0, -1) : now), next]);
      },
      back: () => setEntries((now) => now.slice(0, -1)),
      href: (target: FlowTarget) => `/${area.id}/${target.to}`,
    }),
    [area, entries, way, topic, went],
  );
  return <FlowProvider value={flow}>{children}</FlowProvider>;
}

/** Timers stand still until `pass` moves them; requests go on. Testing Library only knows the clock of jest. */
export function freezeTime(): void {
  vi.stubGlobal('jest', { advanceTimersByTime: (ms: number) => vi.advanceTimersByTime(ms) });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
}

export function resumeTime(): void {
  vi.unstubAllGlobals();
  vi.useRealTimers();
}

export async function pass(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

// Before a test freezes it.
const now = performance.now.bind(performance);

/** Waits for `check`; where time is frozen, without letting any of it pass. */
export async function waitForState(check: () => void): Promise<void> {
  if (!vi.isFakeTimers()) return waitFor(check);
  const until = now() + STATE_MS;
  for (;;) {
    try {
      return check();
    } catch (error) {
      if (now() > until) throw error;
      await act(() => new Promise((resolve) => setImmediate(resolve)));
    }
  }
}

/** §8: the newest message, in the flow's screen or, beside flows, as a toast. */
type FrozenTimeout = Readonly<{ clock: Readonly<{ timers?: ReadonlyMap<unknown, Readonly<{ delay: number }>> }> }>;

/** Waits for the pause before the next attempt (§9). Other timers are there, too: the limits of the requests. */
export async function waitForRetry(): Promise<void> {
  const { clock } = setTimeout as unknown as FrozenTimeout;
  const listDelays = () => Array.from(clock.timers?.values() ?? [], ({ delay }) => delay);
  await waitForState(() => expect(listDelays()).toContain(UPLOAD_RETRY_DELAY_MS));
}

export async function expectToast(message: Readonly<{ title: string; description?: string }>): Promise<void> {
  await waitForState(() => {
    const toast = findMessage()?.textContent ?? '';
    expect(toast).toContain(message.title);
    expect(toast).toContain(message.description ?? '');
  });
}

export function toastVariant(): string | null | undefined {
  return findMessage()?.getAttribute('data-variant');
}

function findMessage(): Element | null {
  return document.querySelector('div[data-variant]') ?? document.querySelector('li[data-variant]');
}
