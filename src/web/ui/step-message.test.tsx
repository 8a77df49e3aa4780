import { act, render, screen } from '@testing-library/react';
import { useEffect, useState, type ReactNode } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { FlowScreen } from './flow-screen.tsx';
import { ScreenTitle } from './screen-title.tsx';
import { ToastProvider, useClearMessage, useToast, type ShowToast } from './toast.tsx';
import './toaster.tsx';

type Hands = Readonly<{ say: ShowToast; clear: () => void; goTo: (place: string) => void }>;

let hands: Hands | undefined;

function Places(): ReactNode {
  const [place, goTo] = useState('A');
  const say = useToast();
  const clear = useClearMessage();
  useEffect(() => {
    hands = { say, clear, goTo };
  }, [say, clear]);
  return place === 'home' ? <ScreenTitle>Start</ScreenTitle> : <FlowScreen key={place} title={`Schritt ${place}`} />;
}

const say: ShowToast = (message) => hands?.say(message);
const goTo = (place: string): void => hands?.goTo(place);
const clear = (): void => hands?.clear();

beforeEach(() => {
  render(
    <ToastProvider>
      <Places />
    </ToastProvider>,
  );
});

const said = (): string | null | undefined => document.querySelector('div[data-variant]')?.textContent;
const toast = (): string | null | undefined => document.querySelector('li[data-variant]')?.textContent;
const press = (): unknown => window.dispatchEvent(new Event('pointerdown'));

test('A message of a flow stands in its screen until another one comes or it is solved (§8)', () => {
  act(() => say({ title: 'Fehler', variant: 'destructive' }));
  expect(said()).toBe('Fehler');
  expect(screen.getByRole('alert').textContent).toBe('Fehler');
  act(() => say({ title: 'Erfolg', variant: 'good' }));
  expect(said()).toBe('Erfolg');
  act(() => clear());
  expect(said()).toBeUndefined();
  expect(toast()).toBeUndefined();
});

test('A message goes with the step it leads to, and only with that one (§8)', () => {
  act(() => say({ title: 'Fehler', variant: 'destructive' }));
  press();
  act(() => {
    say({ title: 'Erfolg', variant: 'good' });
    goTo('B');
  });
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Schritt B');
  expect(said()).toBe('Erfolg');
  act(() => goTo('A'));
  expect(said()).toBeUndefined();
});

test('A message is left behind by a person who goes on (§8)', () => {
  act(() => say({ title: 'Fehler', variant: 'destructive' }));
  press();
  act(() => goTo('B'));
  expect(said()).toBeUndefined();
});

test('A message said on the way out of a flow becomes a toast (§8)', async () => {
  act(() => {
    say({ title: 'Erfolgreich', variant: 'good' });
    goTo('home');
  });
  await expect.poll(toast).toContain('Erfolgreich');
});

test('A toast from before ends where the person begins something in a flow (§8: one at a time)', async () => {
  act(() => goTo('home'));
  act(() => say({ title: 'Erfolgreich angemeldet' }));
  await vi.waitFor(() => expect(toast()).toBe('Erfolgreich angemeldet'));
  act(() => goTo('A'));
  expect(toast()).toBe('Erfolgreich angemeldet');
  act(() => clear());
  expect(toast()).toBeUndefined();
});
