import { act, render, screen } from '@testing-library/react';
import { type ComponentType, type ReactNode, startTransition, Suspense, useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrorBoundary } from './error-screens.tsx';
import { lazyPart, lazyWithFetch } from './lazy-parts.tsx';

const Hello = ({ to }: Readonly<{ to: string }>): ReactNode => <p>Hallo {to}</p>;

function show(Screen: ComponentType<{ to: string }>): void {
  render(
    <Suspense fallback="Moment">
      <Screen to="Mara" />
    </Suspense>,
  );
}

it('Shows at once what was fetched ahead', async () => {
  const Screen = lazyWithFetch(() => Promise.resolve(Hello));
  await Screen.fetch();
  show(Screen);
  expect(screen.getByText('Hallo Mara')).toBeDefined();
});

it('waits for what was not, and loads it once', async () => {
  const loading = Promise.withResolvers<typeof Hello>();
  let loads = 0;
  const Screen = lazyWithFetch(() => {
    loads += 1;
    return loading.promise;
  });
  await act(async () => show(Screen));
  expect(screen.getByText('Moment')).toBeDefined();
  await act(async () => loading.resolve(Hello));
  expect(screen.getByText('Hallo Mara')).toBeDefined();
  await Screen.fetch();
  expect(loads).toBe(1);
});

it('asks again when it is shown where fetching ahead failed', async () => {
  const answers = [Promise.reject(new TypeError('no connection')), Promise.resolve(Hello)];
  const Screen = lazyWithFetch(() => answers.shift() ?? Promise.resolve(Hello));
  await Screen.fetch();
  await act(async () => show(Screen));
  expect(screen.getByText('Hallo Mara')).toBeDefined();
});

it('asks again when its screen is entered again after it could not be loaded', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let asked = 0;
  const Screen = lazyWithFetch(() => {
    asked += 1;
    return asked === 1 ? Promise.reject(new TypeError('no connection')) : Promise.resolve(Hello);
  });
  const at = (path: string) => (
    <ErrorBoundary key={path}>
      <Suspense fallback="Moment">
        <Screen to="Mara" />
      </Suspense>
    </ErrorBoundary>
  );
  const { rerender } = await act(async () => render(at('/thank-you')));
  expect(screen.getByRole('button', { name: 'Seite neu laden' })).toBeDefined();
  await act(async () => rerender(at('/image-upload')));
  expect(screen.getByText('Hallo Mara')).toBeDefined();
  expect(asked).toBe(2);
});

it('reads it in the same way again where it arrives between two attempts of one render', async () => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const loading = Promise.withResolvers<typeof Hello>();
  const Screen = lazyWithFetch(() => {
    // After the attempt that asks for it.
    setTimeout(() => loading.resolve(Hello));
    return loading.promise;
  });
  function Page(): ReactNode {
    const [entered, setEntered] = useState(false);
    const enter = (): void => startTransition(() => setEntered(true));
    return entered ? <Screen to="Mara" /> : <button ref={() => void setTimeout(enter)}>weiter</button>;
  }
  render(
    <Suspense fallback="Moment">
      <Page />
    </Suspense>,
  );
  await screen.findByText('Hallo Mara');
  expect(reported.mock.calls).toEqual([]);
});

describe('A part beside the screens', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  function showPart(load: () => Promise<() => ReactNode>): void {
    const Part = lazyPart('new-count', load);
    render(
      <>
        <p>Aufnahme läuft</p>
        <Part />
      </>,
    );
  }
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

  it('Leaves the screen alone where it cannot be loaded (§4)', async () => {
    showPart(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
    await pass(5_000);
    expect(screen.getByText('Aufnahme läuft')).toBeDefined();
  });

  it('Comes by itself where it was lost once (decision 0305)', async () => {
    const load = vi.fn(() => Promise.resolve(() => <p>Ausgangskorb</p>));
    load.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    showPart(load);
    await pass(2_000);
    expect(load).toHaveBeenCalledTimes(1);
    expect(screen.queryByText('Ausgangskorb')).toBeNull();
    await pass(10_000);
    expect(screen.getByText('Ausgangskorb')).toBeDefined();
  });

  it('Stands beside the screen once it is loaded', async () => {
    showPart(() => Promise.resolve(() => <p>Ausgangskorb</p>));
    await pass(5_000);
    expect(screen.getByText('Ausgangskorb')).toBeDefined();
  });

  it('Leaves the screen alone where it fails (§4)', async () => {
    showPart(() =>
      Promise.resolve(() => {
        throw new Error('broken');
      }),
    );
    await pass(5_000);
    expect(screen.getByText('Aufnahme läuft')).toBeDefined();
  });
});
