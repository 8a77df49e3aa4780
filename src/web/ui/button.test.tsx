import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Button, IconButton } from './button.tsx';
import { PasswordField } from './form-fields.tsx';
import { X } from './icons.tsx';

test.each([{ busy: true }, { idle: true }])(
  '%o: keeps the focus, says that it is disabled, does nothing',
  async (state) => {
    const user = userEvent.setup();
    const onClick = vi.fn<() => void>();
    const { rerender } = render(<Button onClick={onClick}>Speichern</Button>);
    const button = screen.getByRole('button', { name: 'Speichern' });
    await user.click(button);
    expect(onClick).toHaveBeenCalledTimes(1);
    rerender(
      <Button onClick={onClick} {...state}>
        Speichern
      </Button>,
    );
    expect(document.activeElement).toBe(button);
    expect(button.getAttribute('aria-disabled')).toBe('true');
    await user.keyboard('{Enter}');
    await user.click(button);
    expect(onClick).toHaveBeenCalledTimes(1);
  },
);

test('A button with an icon keeps the focus where its own press switches it off (WCAG 2.4.3)', async () => {
  const user = userEvent.setup();
  const onClick = vi.fn<() => void>(() => view.rerender(<IconButton label="Kleiner" icon={X} disabled />));
  const view = render(<IconButton label="Kleiner" icon={X} onClick={onClick} />);
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Kleiner' });
  await user.click(button);
  expect([button.ariaDisabled, button.disabled, document.activeElement]).toEqual(['true', false, button]);
});

test('A name that says what a press does is no state: nothing is pressed beside it (4.1.2)', async () => {
  const user = userEvent.setup();
  render(<PasswordField label="Passwort" />);
  await user.click(screen.getByRole('button', { name: 'Passwort anzeigen' }));
  expect(screen.getByRole('button', { name: 'Passwort verbergen' }).ariaPressed).toBeNull();
});

test('A form is not submitted by its idle button', async () => {
  const user = userEvent.setup();
  const onSubmit = vi.fn<(event: { preventDefault: () => void }) => void>((event) => event.preventDefault());
  const form = (idle: boolean) => (
    <form onSubmit={onSubmit}>
      <input aria-label="Rolle" />
      <Button type="submit" idle={idle}>
        Speichern
      </Button>
    </form>
  );
  const { rerender } = render(form(true));
  await user.type(screen.getByRole('textbox'), 'x{Enter}');
  await user.click(screen.getByRole('button'));
  expect(onSubmit).not.toHaveBeenCalled();
  rerender(form(false));
  await user.click(screen.getByRole('button'));
  expect(onSubmit).toHaveBeenCalledTimes(1);
});
