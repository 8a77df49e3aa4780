import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useRef, useState, type ReactNode } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tolerateTranslations, keepFocus } from './presses.ts';
import { useFocusAfter, useFocusOnArrival } from './use-focus.ts';

function Arriving(): ReactNode {
  return <button ref={useFocusOnArrival<HTMLButtonElement>()}>Abspielen</button>;
}

function Recording(): ReactNode {
  const [done, setDone] = useState(false);
  const start = useRef<HTMLButtonElement>(null);
  useFocusAfter(done, start);
  return (
    <>
      <button ref={start}>Aufnahme starten</button>
      {done ? <Arriving /> : <button onClick={() => setDone(true)}>Beenden</button>}
      <button onClick={() => setDone(false)} disabled={!done}>
        Verwerfen
      </button>
    </>
  );
}

test('The focus goes on where an action takes its own control away (WCAG 2.4.3)', async () => {
  const user = userEvent.setup();
  render(<Recording />);
  expect(document.activeElement).toBe(document.body);
  await user.click(screen.getByRole('button', { name: 'Beenden' }));
  expect(document.activeElement?.textContent).toBe('Abspielen');
  await user.click(screen.getByRole('button', { name: 'Verwerfen' }));
  expect(document.activeElement?.textContent).toBe('Aufnahme starten');
});

test('A focus that stands elsewhere stays there', async () => {
  const user = userEvent.setup();
  const view = render(
    <>
      <input aria-label="Suche" />
      <span />
    </>,
  );
  await user.click(screen.getByRole('textbox'));
  view.rerender(
    <>
      <input aria-label="Suche" />
      <Arriving />
    </>,
  );
  expect(document.activeElement).toBe(screen.getByRole('textbox'));
});

function Sessions(): ReactNode {
  const [devices, setDevices] = useState(['Handy', 'Laptop', 'Tablet']);
  return (
    <main>
      <h1>Konto</h1>
      <input aria-label="Passwort" />
      <section>
        {devices.length > 0 && (
          <ul>
            {devices.map((device) => (
              <li key={device}>
                <button onClick={() => setDevices(devices.filter((other) => other !== device))}>{device}</button>
              </li>
            ))}
          </ul>
        )}
        {devices.length === 0 && <p>Niemand ist angemeldet.</p>}
        <button>Überall abmelden</button>
      </section>
    </main>
  );
}

test('What goes by its own press hands the focus on: in the middle, at the end, the last row (0399)', async () => {
  onTestFinished(keepFocus());
  const user = userEvent.setup();
  render(<Sessions />);
  const focused = () => document.activeElement?.textContent;
  for (const [device, next] of [
    ['Laptop', 'Tablet'],
    ['Tablet', 'Handy'],
    ['Handy', 'Überall abmelden'],
  ] as const) {
    screen.getByRole('button', { name: device }).focus();
    await user.keyboard('{Enter}');
    await vi.waitFor(() => expect(focused(), device).toBe(next));
  }
});

test('A key that is held presses nothing that gets the focus: it goes on when the key is let go (0399)', async () => {
  onTestFinished(keepFocus());
  const user = userEvent.setup();
  render(<Sessions />);
  screen.getByRole('button', { name: 'Laptop' }).focus();
  await user.keyboard('{Enter>}');
  expect(screen.queryByRole('button', { name: 'Laptop' })).toBeNull();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(document.activeElement).toBe(document.body);
  await user.keyboard('{/Enter}');
  expect(document.activeElement?.textContent).toBe('Tablet');
});

function Steps(): ReactNode {
  const [step, setStep] = useState(0);
  const next = (): void => setStep((before) => before + 1);
  return (
    <main>
      <h1>Anmelden</h1>
      {step === 0 && <button onClick={next}>Code anfordern</button>}
      {step === 1 && (
        <form>
          <input aria-label="Code" onKeyDown={({ key }) => key === 'Enter' && next()} />
        </form>
      )}
      {step === 2 && <p>Wird geprüft</p>}
      <a href="/login">Zurück</a>
    </main>
  );
}

test('A key that was pressed before the observer was loaded counts (WCAG 2.4.3, 0399)', async () => {
  const view = render(<button key="1">Code anfordern</button>);
  screen.getByRole('button').focus();
  onTestFinished(keepFocus());
  view.rerender(<input key="2" aria-label="Code" />);
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox')));
});

test('What comes in the place of what was pressed takes the focus, by keyboard and not by pointer (0399)', async () => {
  onTestFinished(keepFocus());
  const user = userEvent.setup();
  const { unmount } = render(<Steps />);
  screen.getByRole('button', { name: 'Code anfordern' }).focus();
  await user.keyboard('{Enter}');
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox')));
  await user.keyboard('{Enter}');
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Zurück'));
  unmount();
  render(<Steps />);
  await user.click(screen.getByRole('button', { name: 'Code anfordern' }));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(document.activeElement).toBe(document.body);
});

/** As browsers do it, within what React has rendered. */
function translate(words: Text): void {
  const font = document.createElement('font');
  font.textContent = `<${words.data}>`;
  words.replaceWith(font);
}

test('A page that a browser translated goes on: parts come before its texts and texts go', async () => {
  onTestFinished(tolerateTranslations());
  const view = (icon: boolean, words: string | undefined) => (
    <p>
      {icon && <b>!</b>}
      {words}
      <i>Ende</i>
    </p>
  );
  const { container, rerender } = render(view(false, 'Neu'));
  const [words] = container.querySelector('p')?.childNodes ?? [];
  if (!(words instanceof Text)) throw new Error('React renders a text here.');
  translate(words);
  await Promise.resolve();
  rerender(view(true, 'Neu'));
  expect(container.textContent).toBe('!<Neu>Ende');
  rerender(view(true, undefined));
  expect(container.textContent).toBe('!Ende');
});
