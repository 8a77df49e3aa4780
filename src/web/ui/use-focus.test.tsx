import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useRef, useState, type ReactNode } from 'react';
import { expect, test } from 'vitest';
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
