import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { connectBackend } from '#web/backend/connect.ts';
import { createQueryClient } from '#web/backend/server-state.tsx';
import { storeSession, STUB_CONFIG, STUB_USER, stubServer } from '#web/backend/testing/stub-server.ts';
import { ToastProvider } from '#web/ui/toast.tsx';
import { PasswordSection } from './index.tsx';

afterEach(() => vi.unstubAllGlobals());

const refused = (error_code: string) => (): Response =>
  Response.json({ code: 400, error_code, msg: error_code }, { status: 400 });
const NEW_PASSWORD = 'ein-neues-passwort-9';
const PUT = 'PUT /auth/v1/user';

function renderSection(config: AppConfig): void {
  render(
    <BackendProvider value={connectBackend(config)}>
      <QueryClientProvider client={createQueryClient()}>
        <ToastProvider>
          <PasswordSection />
        </ToastProvider>
      </QueryClientProvider>
    </BackendProvider>,
  );
}

it('Asks for the present password if the configuration says so (decision 0145)', async () => {
  stubServer({
    [PUT]: (body) => {
      expect(JSON.parse(String(body))).toMatchObject({ password: NEW_PASSWORD, current_password: 'das-richtige' });
      return Response.json(STUB_USER);
    },
  });
  storeSession();
  const user = userEvent.setup();
  renderSection({ ...STUB_CONFIG, currentPassword: true });
  await user.type(screen.getByLabelText('Jetziges Passwort'), 'das-richtige');
  await user.type(screen.getByLabelText('Neues Passwort'), NEW_PASSWORD);
  await user.type(screen.getByLabelText('Neues Passwort wiederholen'), NEW_PASSWORD);
  await user.click(screen.getByRole('button', { name: 'Passwort ändern' }));
  expect(await screen.findByText('Passwort geändert')).toBeTruthy();
});

it('Asks for the present password when the backend requires it, and reports a wrong one', async () => {
  const answers: Record<string, (body: unknown) => Response> = { [PUT]: refused('current_password_required') };
  stubServer(answers);
  storeSession();
  const user = userEvent.setup();
  renderSection(STUB_CONFIG);
  const submit = () => user.click(screen.getByRole('button', { name: 'Passwort ändern' }));
  expect(screen.queryByLabelText('Jetziges Passwort')).toBeNull();
  await user.type(screen.getByLabelText('Neues Passwort'), NEW_PASSWORD);
  await user.type(screen.getByLabelText('Neues Passwort wiederholen'), NEW_PASSWORD);
  await submit();
  expect(await screen.findByText('Gib bitte auch dein jetziges Passwort ein.')).toBeTruthy();

  answers[PUT] = refused('current_password_invalid');
  await user.type(screen.getByLabelText('Jetziges Passwort'), 'falsch');
  await submit();
  expect(await screen.findByText('Das jetzige Passwort stimmt nicht. Bitte gib es noch einmal ein.')).toBeTruthy();

  answers[PUT] = (body) => {
    expect(JSON.parse(String(body))).toMatchObject({ password: NEW_PASSWORD, current_password: 'das-richtige' });
    return Response.json(STUB_USER);
  };
  await user.clear(screen.getByLabelText('Jetziges Passwort'));
  await user.type(screen.getByLabelText('Jetziges Passwort'), 'das-richtige');
  await submit();
  expect(await screen.findByText('Passwort geändert')).toBeTruthy();
});
