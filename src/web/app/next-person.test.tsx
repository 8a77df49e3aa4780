import '#tests/support/indexed-db.ts';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { applicationForEach, open } from '#tests/support/web/render-application.tsx';
import { SESSION_KEY, storeSession, STUB_USER, stubSession, tellFromOtherTab } from '#tests/support/web/stub-server.ts';

applicationForEach();
afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

const user = userEvent.setup();
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });
/** Repeats the message until the client, which loads after the first screen, has received it. */
const tellUntil = (event: string, seen: () => unknown) =>
  waitFor(async () => {
    await act(() => tellFromOtherTab(event, stubSession()));
    seen();
  });
const BEA = { id: '22222222-2222-4222-8222-222222222222', email: 'bea@firma-a.example' };
const ofBea = () => ({ ...stubSession(), user: { ...stubSession().user, ...BEA } });

function openAsMara(path: string, state: object): void {
  storeSession();
  const answers = {
    'GET /rest/v1/user_roles': () => Response.json({ role: 'vdi_admin' }),
    'POST /auth/v1/token': () => Response.json(ofBea()),
  };
  open(path, answers, { __TSR_index: 0, __TSR_key: 'k', key: 'k', of: STUB_USER.id, ...state });
}

it('The way back shows the next person nothing of what the one before has said (§4)', async () => {
  const said = 'Was nur Mara gesagt hat';
  openAsMara('/transcript-edit', { interviewId: '7', transcript: said });
  expect(await screen.findByDisplayValue(said)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Weiter zum Bild-Upload' }));
  await heading('Bilder hinzufügen');
  expect(window.history.state).toMatchObject({ interviewId: '7', of: STUB_USER.id });
  await user.click(screen.getByTitle('Abmelden'));
  await user.type(await screen.findByLabelText('E-Mail'), BEA.email);
  await user.type(screen.getByLabelText('Passwort'), 'geheim-123');
  await user.click(screen.getByRole('button', { name: 'Anmelden' }));
  await heading('Hallo bea');
  window.history.back();
  await waitFor(() => expect(window.location.pathname).toBe('/interview-category'));
  expect(screen.queryByDisplayValue(said)).toBeNull();
});

it.each([
  ['a logout', 'SIGNED_OUT', null],
  ['the login of somebody else', 'SIGNED_IN', ofBea()],
] as const)('Contact details go from the screen with %s in another tab (§4, D4)', async (_name, event, session) => {
  openAsMara('/thank-you', { interviewId: '7' });
  await user.type(await screen.findByLabelText(/Vorname/), 'Mara');
  if (session === null) for (const key of [SESSION_KEY, 'data_owner']) localStorage.removeItem(key);
  else localStorage.setItem(SESSION_KEY, JSON.stringify(session));
  await act(() => tellFromOtherTab(event, session));
  await waitFor(() => expect(screen.queryByDisplayValue('Mara')).toBeNull());
  expect(screen.queryByText('7')).toBeNull();
  expect(sessionStorage.getItem('contact_draft')).toBeNull();
});

it('A contribution opened by a link stays the one at hand, whoever logs in in another tab (D9, 0393)', async () => {
  open(`/upload#i=7&k=${'k'.repeat(43)}`, {
    'GET /rest/v1/user_roles': () => Response.json({ role: 'vdi_admin' }),
    'GET /rest/v1/interviews': () => Response.json([{ contact_email: null }]),
  });
  expect(await screen.findByText('7...')).toBeDefined();
  storeSession();
  await tellUntil('SIGNED_IN', () => screen.getByTitle('Abmelden'));
  expect(screen.getByText('7...')).toBeDefined();
  expect(sessionStorage.getItem('currentInterviewId'), 'for a reload').toBe('7');
});

it('A password that is set in the tab of its link lets the other one go on (D15)', async () => {
  open('/passwort-vergessen', { 'GET /rest/v1/user_roles': () => Response.json({ role: 'vdi_admin' }) });
  await heading('Passwort vergessen?');
  storeSession();
  await tellUntil('PASSWORD_RECOVERY', () => screen.getByRole('heading', { level: 1, name: 'Neues Passwort setzen' }));
  await act(() => tellFromOtherTab('USER_UPDATED', stubSession()));
  await heading('Hallo mara');
});
