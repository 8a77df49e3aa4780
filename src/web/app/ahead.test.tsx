import { act, render, screen } from '@testing-library/react';
import { startTransition, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { ahead } from './ahead.tsx';

const Hello = ({ to }: Readonly<{ to: string }>): ReactNode => <p>Hallo {to}</p>;

function show(Screen: ComponentType<{ to: string }>): void {
  render(
    <Suspense fallback="Moment">
      <Screen to="Mara" />
    </Suspense>,
  );
}

it('shows at once what was fetched ahead', async () => {
  const Screen = ahead(() => Promise.resolve(Hello));
  await Screen.fetch();
  show(Screen);
  expect(screen.getByText('Hallo Mara')).toBeDefined();
});

it('waits for what was not, and loads it once', async () => {
  const loading = Promise.withResolvers<typeof Hello>();
  let loads = 0;
  const Screen = ahead(() => {
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
  const Screen = ahead(() => answers.shift() ?? Promise.resolve(Hello));
  await Screen.fetch();
  await act(async () => show(Screen));
  expect(screen.getByText('Hallo Mara')).toBeDefined();
});

it('reads it in the same way again where it arrives between two attempts of one render', async () => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const loading = Promise.withResolvers<typeof Hello>();
  const Screen = ahead(() => {
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
