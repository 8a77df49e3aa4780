import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tellScreenShown } from './after-load.ts';
import { Notice } from './notice.tsx';
import { ToastProvider, useToast } from './toast.tsx';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Shows what is given beside the toasts, and gives access to what is announced. */
async function open(children: React.ReactNode) {
  const attach = vi.spyOn(Element.prototype, 'attachShadow');
  const show = (what: React.ReactNode) => <ToastProvider>{what}</ToastProvider>;
  const { rerender } = render(show(null));
  await act(async () => {
    tellScreenShown();
    await vi.advanceTimersByTimeAsync(100);
    await vi.dynamicImportSettled();
  });
  const region = attach.mock.contexts.at(-1) as Element;
  const words = attach.mock.results.at(-1)?.value as ShadowRoot;
  rerender(show(children));
  return {
    region,
    rerender: (what: React.ReactNode) => rerender(show(what)),
    heard: () => {
      act(() => void vi.advanceTimersByTime(500));
      return words.textContent;
    },
  };
}

const saved = (text: string) => (
  <Notice title="Erfolg" live action={<button>Weiter</button>}>
    {text}
  </Notice>
);

it('Announces a status by a region that was there before, without its buttons, and again when it changes', async () => {
  const { region, heard, rerender } = await open(saved('Das Transkript ist gespeichert.'));
  expect(region.ariaLive).toBe('polite');
  expect(heard()).toBe('Erfolg. Das Transkript ist gespeichert.');
  // Not by itself as well.
  expect(screen.getByRole('status').ariaLive).toBe('off');
  act(() => void vi.advanceTimersByTime(10_000));
  rerender(saved('Das Transkript ist gespeichert.'));
  expect(heard()).toBe('');
  rerender(saved('Das Bild ist gespeichert.'));
  expect(heard()).toBe('Erfolg. Das Bild ist gespeichert.');
});

it('Announces several statuses that appear at once', async () => {
  const { heard } = await open([<Notice key="a" title="Eins" live />, <Notice key="b" title="Zwei?" live />]);
  expect(heard()).toBe('Eins. Zwei?');
});

it('Leaves alerts to themselves, and does not announce what is not live', async () => {
  const { heard } = await open([
    <Notice key="a" tone="error" title="Fehler" live />,
    <Notice key="b" title="Hinweis" />,
  ]);
  expect(heard()).toBe('');
  expect(screen.getByRole('alert').ariaLive).toBeNull();
});

it('A status announces itself while there is no region', () => {
  render(<Notice title="Erfolg" live />);
  expect(screen.getByRole('status').ariaLive).toBeNull();
});

function Say({ title, description }: Readonly<{ title: string; description?: string }>) {
  const toast = useToast();
  return <button onClick={() => toast({ title, description })}>sagen</button>;
}

it.each([
  ['Erfolgreich', 'Gespeichert.', 'Meldung Erfolgreich. Gespeichert.'],
  ['Fertig!', 'Gespeichert.', 'Meldung Fertig! Gespeichert.'],
])('Announces the toast %s %s with a pause between the two (§8)', async (title, description, text) => {
  await open(<Say title={title} description={description} />);
  act(() => screen.getByRole('button', { name: 'sagen' }).click());
  act(() => void vi.advanceTimersByTime(100));
  expect(screen.getByText(/^Meldung/).textContent).toBe(text);
});
