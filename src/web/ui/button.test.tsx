import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Button } from './button.tsx';

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
