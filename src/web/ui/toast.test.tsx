import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TOAST_MS } from '#contract/limits.ts';
import { tellScreenShown } from './after-load.ts';
import type { ToastMessage } from './notice.tsx';
import { ToastProvider, useToast } from './toast.tsx';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function Trigger({ message }: Readonly<{ message: Omit<ToastMessage, 'id'> }>) {
  const toast = useToast();
  return <button onClick={() => toast(message)}>{`zeige ${message.title}`}</button>;
}

async function renderTriggers(): Promise<void> {
  render(
    <ToastProvider>
      <Trigger message={{ title: 'Erste', description: 'Eine Meldung' }} />
      <Trigger message={{ title: 'Zweite', variant: 'destructive' }} />
    </ToastProvider>,
  );
  await act(async () => {
    tellScreenShown();
    await vi.advanceTimersByTimeAsync(100);
    await vi.dynamicImportSettled();
  });
}

function show(title: string): void {
  fireEvent.click(screen.getByText(`zeige ${title}`));
}

function pass(milliseconds: number): void {
  act(() => {
    vi.advanceTimersByTime(milliseconds);
  });
}

/** Counts what a person sees; Radix repeats the text once in a live region. */
function shown(title: string): number {
  return screen.queryAllByText(title, { selector: '[data-variant] *' }).length;
}

describe('§8, D22 toasts', () => {
  it('stay for 5 s', async () => {
    await renderTriggers();
    show('Erste');
    pass(TOAST_MS - 1);
    expect(shown('Erste')).toBe(1);
    pass(1);
    expect(shown('Erste')).toBe(0);
  });

  it('are shown one at a time', async () => {
    await renderTriggers();
    show('Erste');
    show('Zweite');
    expect(shown('Erste')).toBe(0);
    expect(shown('Zweite')).toBe(1);
  });

  it('give the second one 5 s of its own', async () => {
    await renderTriggers();
    show('Erste');
    pass(TOAST_MS - 1);
    show('Zweite');
    pass(TOAST_MS - 1);
    expect(shown('Zweite')).toBe(1);
  });

  it('come again after they were closed', async () => {
    await renderTriggers();
    show('Erste');
    fireEvent.click(screen.getByRole('button', { name: 'Meldung schließen' }));
    expect(shown('Erste')).toBe(0);
    show('Erste');
    expect(shown('Erste')).toBe(1);
  });

  it('take the focus with F8', async () => {
    await renderTriggers();
    show('Erste');
    fireEvent.keyDown(document, { key: 'F8', code: 'F8' });
    expect(document.activeElement?.closest('[role="region"]')).not.toBeNull();
  });
});
