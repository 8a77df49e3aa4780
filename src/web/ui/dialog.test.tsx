import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReactNode, useState } from 'react';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Button } from './button.tsx';
import { ConfirmDialog, Dialog } from './dialog.tsx';
import { notePresses } from './presses.ts';

const nothing = (): void => undefined;
const opened = (children: ReactNode, actions?: ReactNode): string => {
  render(
    <Dialog open onOpenChange={nothing} title="Titel" actions={actions}>
      {children}
    </Dialog>,
  );
  const { activeElement: focused } = document;
  return focused?.getAttribute('aria-label') ?? focused?.textContent ?? '';
};
const coarse = (): void =>
  void vi.stubGlobal('matchMedia', (media: string) => ({ media, matches: media.includes('coarse') }));

afterEach(() => vi.unstubAllGlobals());

describe('a dialog that opens has the focus', () => {
  const field = <input aria-label="Feld" />;
  const check = <input type="checkbox" aria-label="Haken" />;
  const buttons = (
    <>
      <Button>Abbrechen</Button>
      <Button type="submit">Senden</Button>
    </>
  );

  it.each<[string, ReactNode, string]>([
    ['in its first field', [<p key="p">Text</p>, <span key="s">{field}</span>, <b key="b">{check}</b>], 'Feld'],
    [
      'in the first one that can be used',
      [<input key="i" disabled aria-label="Aus" />, <b key="b">{check}</b>],
      'Haken',
    ],
    ['on its first harmless button', buttons, 'Abbrechen'],
    ['on itself where there is only the way out: it is read', <p key="p">Text</p>, 'TitelText'],
    [
      'on itself rather than on what does something',
      <Button key="b" type="submit">
        Löschen
      </Button>,
      'TitelLöschen',
    ],
  ])('%s', (_name, children, focused) => {
    expect(opened(children)).toBe(focused);
  });

  it('on its first action, where it has nothing else', () => {
    expect(opened(<p>Text</p>, <Button>Fertig</Button>)).toBe('Fertig');
  });

  it('where fingers type, a field waits to be touched; a box has no keyboard', () => {
    coarse();
    expect(opened(field)).toBe('Titel');
    cleanup();
    expect(opened(check)).toBe('Haken');
  });

  it('on "Abbrechen", where it asks', () => {
    render(
      <ConfirmDialog
        open
        title="Weg damit?"
        description="Endgültig."
        confirmLabel="Löschen"
        tone="danger"
        onConfirm={nothing}
        onCancel={nothing}
      />,
    );
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Abbrechen' }));
  });
});

describe('a dialog that closes gives the focus back (WCAG 2.4.3)', () => {
  function Screen({ kind }: Readonly<{ kind: 'dialog' | 'question' }>): ReactNode {
    const [open, setOpen] = useState(false);
    const [removed, setRemoved] = useState(false);
    const close = (): void => setOpen(false);
    const remove = (): void => {
      setRemoved(true);
      close();
    };
    return (
      <>
        <h1 tabIndex={-1}>Konten</h1>
        {!removed && <Button onClick={() => setOpen(true)}>Öffnen</Button>}
        <Button onClick={() => undefined}>Anderes</Button>
        {kind === 'dialog' ? (
          <Dialog
            open={open}
            onOpenChange={setOpen}
            title="Titel"
            actions={<Button onClick={remove}>Entfernen</Button>}
          />
        ) : (
          <ConfirmDialog
            open={open}
            title="Titel"
            description="Wirklich?"
            confirmLabel="Entfernen"
            onConfirm={remove}
            onCancel={close}
          />
        )}
      </>
    );
  }
  const focused = () => document.activeElement?.textContent;

  it.each(['dialog', 'question'] as const)('to what opened the %s', async (kind) => {
    const user = userEvent.setup();
    render(<Screen kind={kind} />);
    await user.click(screen.getByRole('button', { name: 'Öffnen' }));
    await user.keyboard('{Escape}');
    await vi.waitFor(() => expect(focused()).toBe('Öffnen'));
  });

  it.each(['dialog', 'question'] as const)('to what opened the %s in Safari, which focuses no button', async (kind) => {
    onTestFinished(notePresses());
    const blur = (event: Event): void => {
      event.preventDefault();
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    };
    document.addEventListener('mousedown', blur);
    onTestFinished(() => document.removeEventListener('mousedown', blur));
    const user = userEvent.setup();
    render(<Screen kind={kind} />);
    await user.click(screen.getByRole('button', { name: 'Öffnen' }));
    await user.keyboard('{Escape}');
    await vi.waitFor(() => expect(focused()).toBe('Öffnen'));
  });

  it.each(['dialog', 'question'] as const)('to the heading, where what opened the %s is gone', async (kind) => {
    const user = userEvent.setup();
    render(<Screen kind={kind} />);
    await user.click(screen.getByRole('button', { name: 'Öffnen' }));
    await user.click(screen.getByRole('button', { name: 'Entfernen' }));
    await vi.waitFor(() => expect(focused()).toBe('Konten'));
  });

  it('to nothing, where something else has it', async () => {
    const user = userEvent.setup();
    render(<Screen kind="dialog" />);
    await user.click(screen.getByRole('button', { name: 'Öffnen' }));
    const other = screen.getByRole('button', { name: 'Anderes', hidden: true });
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
    act(() => other.focus());
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    expect(focused()).toBe('Anderes');
  });
});
