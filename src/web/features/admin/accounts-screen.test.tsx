import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Account } from '#contract/accounts.ts';
import { STUB_USER } from '#tests/support/web/stub-server.ts';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import { AccountsScreen } from './accounts-screen.tsx';

const ADA: Account = {
  id: '1',
  email: 'ada@beispiel.test',
  role: 'firma_a',
  status: 'active',
  createdAt: '2026-11-01T10:00:00Z',
  invitedAt: null,
  lastSignInAt: null,
};
const EMMY: Account = { ...ADA, id: '2', email: 'emmy@beispiel.test' };

/** Locks Ada, closes her dialog before the answer and opens Emmy's. */
async function lockAndMoveOn() {
  const locked = Promise.withResolvers<unknown>();
  const { user } = renderDesk(() => <AccountsScreen />, {
    answers: {
      'GET /v1/accounts': () => ({ accounts: [ADA, EMMY], total: 2, page: 1, perPage: 50 }),
      'GET /v1/accounts/1/factors': () => ({ factors: [] }),
      'GET /v1/accounts/2/factors': () => ({ factors: [] }),
      'PATCH /v1/accounts/1': () => locked.promise,
    },
  });
  const open = async ({ email }: Account) => {
    await user.click(await screen.findByRole('button', { name: `${email} verwalten` }));
    return screen.findByRole('dialog', { name: email });
  };
  await user.click(within(await open(ADA)).getByRole('button', { name: 'Sperren' }));
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  return { dialog: await open(EMMY), answer: locked.resolve };
}

test('Keeps a dialog open when the change of another account is answered (D14)', async () => {
  const { dialog, answer } = await lockAndMoveOn();
  answer({ account: { ...ADA, status: 'locked' } });
  expect(await screen.findByText('Benutzer gesperrt')).toBeTruthy();
  await waitFor(() =>
    expect(within(dialog).getByRole('button', { name: 'Sperren' })).toHaveProperty('ariaDisabled', null),
  );
  expect(screen.getByRole('dialog', { name: EMMY.email })).toBe(dialog);
});

test('Reports the failure of another account beside the list, not in the open dialog (D14)', async () => {
  const { dialog, answer } = await lockAndMoveOn();
  answer(Response.json({ error: { code: 'backend_failed', message: '' } }, { status: 502 }));
  const message = await screen.findByText(
    'Die Konten sind gerade nicht erreichbar. Bitte versuche es gleich noch einmal.',
  );
  expect(dialog.contains(message)).toBe(false);
});

test('Keeps the list and the search where a reload fails, and says so (0358)', async () => {
  let fails = false;
  const failure = () => Response.json({ error: { code: 'backend_failed', message: '' } }, { status: 502 });
  const { user } = renderDesk(() => <AccountsScreen />, {
    answers: {
      'GET /v1/accounts': () => (fails ? failure() : { accounts: [ADA], total: 1, page: 1, perPage: 50 }),
      'GET /v1/accounts/1/factors': () => ({ factors: [] }),
      'PATCH /v1/accounts/1': () => ({ account: { ...ADA, status: 'locked' } }),
    },
  });
  await user.click(await screen.findByRole('button', { name: `${ADA.email} verwalten` }));
  fails = true;
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Sperren' }));
  expect(await screen.findByRole('alert')).toBeTruthy();
  await user.keyboard('{Escape}');
  expect(await screen.findByRole('button', { name: `${ADA.email} verwalten` })).toBeTruthy();
  await user.type(screen.getByRole('searchbox'), 'x');
  expect(screen.getByRole('searchbox')).toHaveProperty('value', 'x');
});

test('Keeps a new password in sight until it is closed, and says that there is an account (D14)', async () => {
  const { user } = renderDesk(() => <AccountsScreen />, {
    answers: {
      'GET /v1/accounts': () => ({ accounts: [ADA], total: 1, page: 1, perPage: 50 }),
      'POST /v1/accounts': () => ({ account: EMMY, password: 'drei-kurze-worte' }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Benutzer anlegen' }));
  const create = within(await screen.findByRole('dialog', { name: 'Benutzer anlegen' }));
  await user.type(create.getByLabelText('E-Mail'), EMMY.email);
  await user.selectOptions(create.getByLabelText('Rolle'), 'firma_a');
  await user.click(create.getByLabelText(/^Passwort erzeugen/));
  await user.click(create.getByRole('button', { name: 'Konto anlegen' }));
  const dialog = await screen.findByRole('dialog', { name: 'Passwort notieren' });
  expect(dialog.textContent).toContain(`Konto angelegt. Das Passwort für ${EMMY.email} wird nur jetzt angezeigt`);
  await user.keyboard('{Escape}');
  await new Promise((resolve) => setTimeout(resolve));
  fireEvent.pointerDown(document.body);
  expect(screen.getByRole('dialog', { name: 'Passwort notieren' })).toBe(dialog);
  expect(within(dialog).getByLabelText<HTMLInputElement>('Passwort').value).toBe('drei-kurze-worte');
  await user.click(within(dialog).getByRole('button', { name: 'Fertig' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

const list = (accounts: readonly Account[], facts: object = {}) => ({
  accounts,
  total: accounts.length,
  page: 1,
  perPage: 50,
  ...facts,
});

test('Says of a new account without an address or a role what is missing, and sends nothing (D14)', async () => {
  const { user, requests } = renderDesk(() => <AccountsScreen />, { answers: { 'GET /v1/accounts': () => list([]) } });
  await user.click(await screen.findByRole('button', { name: 'Benutzer anlegen' }));
  const create = within(await screen.findByRole('dialog', { name: 'Benutzer anlegen' }));
  await user.click(create.getByRole('button', { name: 'Einladung senden' }));
  expect(await create.findByText('Bitte gib eine gültige E-Mail-Adresse ein.')).toBeTruthy();
  expect(create.getByText('Bitte wähle eine Rolle.')).toBeTruthy();
  expect(requests.filter(({ name }) => name === 'POST /v1/accounts')).toEqual([]);
});

test('Makes a password where no mail server is set up, unless an invitation is chosen (D14)', async () => {
  const { user } = renderDesk(() => <AccountsScreen />, {
    answers: { 'GET /v1/accounts': () => list([]) },
    config: { accountMails: false },
  });
  await user.click(await screen.findByRole('button', { name: 'Benutzer anlegen' }));
  const create = within(await screen.findByRole('dialog', { name: 'Benutzer anlegen' }));
  expect(create.getByRole('button', { name: 'Konto anlegen' })).toBeTruthy();
  await user.click(create.getByRole('radio', { name: /Per E-Mail einladen.*bleibt als Datei auf dem Server/ }));
  expect(create.getByRole('button', { name: 'Einladung senden' })).toBeTruthy();
});

test('Calls no invitation sent that stays on the server (D14)', async () => {
  const { user } = renderDesk(() => <AccountsScreen />, {
    answers: {
      'GET /v1/accounts': () => list([{ ...EMMY, status: 'invited' }]),
      [`GET /v1/accounts/${EMMY.id}/factors`]: () => ({ factors: [] }),
      [`POST /v1/accounts/${EMMY.id}/invitation`]: () => ({ account: EMMY }),
    },
    config: { accountMails: false },
  });
  await user.click(await screen.findByRole('button', { name: `${EMMY.email} verwalten` }));
  await user.click(await screen.findByRole('button', { name: 'Erneut einladen' }));
  expect(await screen.findByText(/bleibt als Datei auf dem Server/)).toBeTruthy();
  expect(screen.queryByText('Einladung gesendet')).toBeNull();
});

test('Shows 51 accounts on two pages (D14)', async () => {
  const pages: Readonly<Record<string, Account>> = { 1: ADA, 2: EMMY };
  const { user, requests } = renderDesk(() => <AccountsScreen />, {
    answers: {
      'GET /v1/accounts': ({ page }: { page: string }) =>
        list(pages[page] === undefined ? [] : [pages[page]], { total: 51, page: Number(page) }),
    },
  });
  expect(await screen.findByText('51 Benutzer')).toBeTruthy();
  expect(screen.getByText(ADA.email)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Nächste' }));
  expect(await screen.findByText('Seite 2 von 2')).toBeTruthy();
  expect(screen.getByText(EMMY.email)).toBeTruthy();
  expect(screen.queryByText(ADA.email)).toBeNull();
  expect(requests.at(-1)?.args).toEqual({ search: '', page: '2' });
});

test('Offers nothing to change on the own account (D14)', async () => {
  const own = { ...ADA, ...STUB_USER, role: 'admin' };
  const { user } = renderDesk(() => <AccountsScreen />, {
    answers: { 'GET /v1/accounts': () => list([own]), [`GET /v1/accounts/${own.id}/factors`]: () => ({ factors: [] }) },
  });
  await user.click(await screen.findByRole('button', { name: `${own.email} verwalten` }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('Das ist dein eigenes Konto.');
  expect(within(dialog).getAllByRole('button')).toHaveLength(1);
});

test('Locks and unlocks an account, says so and shows it in the list (D14)', async () => {
  let account = ADA;
  const { user, requests } = renderDesk(() => <AccountsScreen />, {
    answers: {
      'GET /v1/accounts': () => list([account]),
      'GET /v1/accounts/1/factors': () => ({ factors: [] }),
      'PATCH /v1/accounts/1': ({ locked }: { locked: boolean }) => {
        account = { ...ADA, status: locked ? 'locked' : 'active' };
        return { account };
      },
    },
  });
  for (const [press, said, status] of [
    ['Sperren', 'Benutzer gesperrt', 'Gesperrt'],
    ['Entsperren', 'Benutzer entsperrt', 'Aktiv'],
  ] as const) {
    await user.click(await screen.findByRole('button', { name: `${ADA.email} verwalten` }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: press }));
    expect(await screen.findByText(said)).toBeTruthy();
    await waitFor(() => expect(screen.getByRole('listitem').textContent).toContain(status));
  }
  expect(requests.filter(({ name }) => name.startsWith('PATCH')).map(({ args }) => args)).toEqual([
    { locked: true },
    { locked: false },
  ]);
});

test('Removing an account names the person, asks first and says so (D14)', async () => {
  let accounts = [ADA];
  const { user, requests } = renderDesk(() => <AccountsScreen />, {
    answers: {
      'GET /v1/accounts': () => list(accounts),
      'GET /v1/accounts/1/factors': () => ({ factors: [] }),
      'DELETE /v1/accounts/1': () => {
        accounts = [];
        return new Response(null, { status: 204 });
      },
    },
  });
  const ask = async () => {
    await user.click(await screen.findByRole('button', { name: `${ADA.email} verwalten` }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Benutzer entfernen' }));
    return screen.findByRole('alertdialog');
  };
  const question = await ask();
  expect(question.textContent).toContain(ADA.email);
  await user.click(within(question).getByRole('button', { name: 'Abbrechen' }));
  expect(screen.getByRole('listitem').textContent).toContain(ADA.email);
  expect(requests.filter(({ name }) => name.startsWith('DELETE'))).toEqual([]);
  await user.click(within(await ask()).getByRole('button', { name: 'Entfernen' }));
  expect(await screen.findByText('Benutzer entfernt')).toBeTruthy();
  expect(await screen.findByText('Niemand gefunden')).toBeTruthy();
});
