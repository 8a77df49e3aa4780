import '#tests/support/indexed-db.ts';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import {
  noConnection,
  storeSession,
  STUB_CONFIG,
  STUB_USER,
  stubSession,
  type Answers,
} from '#tests/support/web/stub-server.ts';
import { applicationForEach, open } from '#tests/support/web/render-application.tsx';

const roleIs = (role: string): Answers => ({ 'GET /rest/v1/user_roles': () => Response.json({ role }) });
const TOKEN = 'POST /auth/v1/token';
const refused =
  (code: string, message: string, status = 400) =>
  () =>
    Response.json({ code: status, error_code: code, msg: message }, { status });

applicationForEach();

async function fillIn(email = STUB_USER.email, password = 'geheim-123') {
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('E-Mail'), email);
  await user.type(screen.getByLabelText('Passwort'), password);
  return user;
}

const heading = (name: string) => screen.findByRole('heading', { level: 1, name });

describe('§2.2 login', () => {
  it('takes the user home by role', async () => {
    open('/login', { ...roleIs('firma_a'), [TOKEN]: () => Response.json(stubSession()) });
    const user = await fillIn();
    expect(document.querySelector('iframe'), 'a captcha, which nobody asks for').toBeNull();
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    // It stands for five seconds, which a busy machine needs for the screen after it.
    expect(await screen.findAllByText('Erfolgreich angemeldet')).not.toHaveLength(0);
    await heading('Willkommen, mara');
    expect(window.location.pathname).toBe('/firma-a');
  });

  it('Takes the user to where they wanted to go, once (D7)', async () => {
    open('/firma-a/interview-category?x=1', { ...roleIs('firma_a'), [TOKEN]: () => Response.json(stubSession()) });
    const user = await fillIn();
    expect(window.location.pathname).toBe('/login');
    expect(screen.getByText('Sie müssen angemeldet sein, um auf diesen Bereich zuzugreifen.')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    await heading('Worüber möchtest du sprechen?');
    expect(window.location.pathname + window.location.search).toBe('/firma-a/interview-category?x=1');
    expect(localStorage.getItem('redirect_after_login')).toBeNull();
  });

  it('Leads from a generic place to the own twin (D7)', async () => {
    open('/voice-message', { ...roleIs('firma_b'), [TOKEN]: () => Response.json(stubSession()) });
    const user = await fillIn();
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    await heading('Sprachnachricht');
    expect(window.location.pathname).toBe('/firma-b/voice-message');
  });

  it('Forgets a saved path that leads elsewhere, and goes home (D7)', async () => {
    localStorage.setItem('redirect_after_login', '/\\boese.example');
    open('/login', { ...roleIs('firma_a'), [TOKEN]: () => Response.json(stubSession()) });
    const user = await fillIn();
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    await heading('Willkommen, mara');
    expect(window.location.pathname).toBe('/firma-a');
    expect(localStorage.getItem('redirect_after_login')).toBeNull();
  });

  it('Waits for the role to load, and says so', async () => {
    const role = Promise.withResolvers<Response>();
    open('/login', {
      [TOKEN]: () => Response.json(stubSession()),
      'GET /rest/v1/user_roles': () => role.promise.then((answer) => answer.clone()),
    });
    const user = await fillIn();
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    await screen.findByText('Lade Benutzerdaten...');
    expect(window.location.pathname).toBe('/login');
    role.resolve(Response.json({ role: 'vdi_admin' }));
    await heading('Hallo mara');
    expect(window.location.pathname).toBe('/content-selection');
  });

  it('ignores a second submit while one is in progress', async () => {
    let answer: (response: Response) => void = () => undefined;
    const calls = open('/login', { [TOKEN]: () => new Promise<Response>((resolve) => (answer = resolve)) });
    const user = await fillIn();
    await user.keyboard('{Enter}');
    await screen.findByRole('button', { name: 'Anmeldung läuft...' });
    await user.keyboard('{Enter}');
    await user.click(screen.getByRole('button', { name: 'Anmeldung läuft...' }));
    await waitFor(() => expect(calls.filter((call) => call === TOKEN)).toHaveLength(1));
    answer(refused('invalid_credentials', 'Invalid login credentials')());
    await screen.findByRole('button', { name: 'Anmelden' });
    expect(calls.filter((call) => call === TOKEN)).toHaveLength(1);
  });

  it('does not leave for another login once the user is logged in otherwise (decision 0358)', async () => {
    const [provider, company] = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
    open('/login', {
      ...roleIs('firma_a'),
      [TOKEN]: () => Response.json(stubSession()),
      'GET /auth/v1/settings': () => Response.json({ external: { google: true }, saml_enabled: true }),
      'GET /auth/v1/authorize': () => provider.promise,
      'POST /auth/v1/sso': () => company.promise,
    });
    await userEvent.click(await screen.findByRole('link', { name: 'Mit dem Firmenkonto anmelden' }));
    await heading('Mit dem Firmenkonto anmelden');
    await userEvent.type(screen.getByLabelText('E-Mail'), STUB_USER.email);
    await userEvent.click(screen.getByRole('button', { name: 'Weiter' }));
    await userEvent.click(screen.getByRole('link', { name: 'Zurück zur Anmeldung' }));
    const user = await fillIn();
    await user.click(await screen.findByRole('button', { name: 'Mit Google anmelden' }));
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    await heading('Willkommen, mara');
    // jsdom reports a navigation, which it cannot make, as an error.
    const left = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    provider.resolve(new Response());
    company.resolve(Response.json({ url: 'http://company.example' }));
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(left).not.toHaveBeenCalled();
  });

  it('Can leave for another login once more after the browser has brought the page back', async () => {
    open('/login', {
      'GET /auth/v1/settings': () => Response.json({ external: { google: true }, saml_enabled: true }),
      'GET /auth/v1/authorize': () => new Response(),
      'POST /auth/v1/sso': () => Response.json({ url: 'http://company.example' }),
    });
    // jsdom reports a navigation, which it cannot make, as an error.
    const left = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const leave = async (button: string): Promise<void> => {
      await userEvent.click(await screen.findByRole('button', { name: button }));
      await waitFor(() => expect(left).toHaveBeenCalledOnce());
      left.mockClear();
      act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
      await waitFor(() => expect(screen.getByRole('button', { name: button }).ariaBusy).toBeNull());
    };
    await leave('Mit Google anmelden');
    await userEvent.click(screen.getByRole('link', { name: 'Mit dem Firmenkonto anmelden' }));
    await userEvent.type(await screen.findByLabelText('E-Mail'), STUB_USER.email);
    await leave('Weiter');
  });

  it.each([
    [
      '§8 wrong password',
      refused('invalid_credentials', 'x'),
      'Anmeldung fehlgeschlagen',
      'Ungültige E-Mail oder Passwort.',
    ],
    ['§8 refused for another reason', refused('user_banned', 'User is banned', 403), 'Anmeldefehler', 'User is banned'],
    [
      '§8 the backend fails',
      refused('unexpected_failure', 'x', 500),
      'Unerwarteter Fehler',
      'Ein unerwarteter Fehler ist aufgetreten. Bitte versuchen Sie es erneut.',
    ],
    ['§8 no connection', noConnection, 'Fehler', 'Ein Fehler ist aufgetreten. Bitte versuchen Sie es erneut.'],
  ])('Says what went wrong: %s', async (_name, answer, title, description) => {
    open('/login', { [TOKEN]: answer });
    const user = await fillIn();
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    expect(await screen.findAllByText(title, { selector: '[data-variant=destructive] *' })).toHaveLength(1);
    expect(screen.getAllByText(description, { selector: '[data-variant=destructive] *' })).toHaveLength(1);
    expect(screen.getByLabelText<HTMLInputElement>('E-Mail').value).toBe(STUB_USER.email);
  });

  it('Goes on at the second try once there is a connection (§8)', async () => {
    const answers = [noConnection, () => Response.json(stubSession())];
    open('/login', { ...roleIs('firma_a'), [TOKEN]: () => (answers.shift() ?? noConnection)() });
    const user = await fillIn();
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    await screen.findByText('Fehler', { selector: '[data-variant=destructive] *' });
    await user.click(await screen.findByRole('button', { name: 'Anmelden' }));
    await heading('Willkommen, mara');
  });

  it('Wants both fields, says so and asks nobody (§5)', async () => {
    const calls = open('/login', {});
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Anmelden' }));
    const email = screen.getByLabelText('E-Mail');
    expect(document.activeElement).toBe(email);
    expect(email.getAttribute('aria-invalid')).toBe('true');
    expect(email.getAttribute('type')).toBe('email');
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
      'Bitte gib deine E-Mail-Adresse ein.',
      'Bitte gib dein Passwort ein.',
    ]);
    expect(calls).not.toContain(TOKEN);
  });
});

describe('§2.1 guard', () => {
  it('Forwards a company to its twin and keeps fragment and state (D2)', async () => {
    storeSession();
    const state = { __TSR_index: 0, __TSR_key: 'k', key: 'k', transcript: 'Du: Hallo' };
    open('/interview-category?x=1#y', roleIs('firma_b'), state);
    await heading('Worüber möchtest du sprechen?');
    expect(window.location.href).toContain('/firma-b/interview-category?x=1#y');
    expect(window.history.state).toMatchObject({ transcript: 'Du: Hallo' });
  });

  it('Leads to the login also on a device that has no space to keep the way back (D7)', async () => {
    const full = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(full);
    open('/firma-a/voice-message', {});
    expect(await screen.findByLabelText('Passwort')).toBeTruthy();
    expect(window.location.pathname).toBe('/login');
  });

  it('sends a role that is not allowed home, and says why', async () => {
    storeSession();
    open('/admin', roleIs('testnormec'));
    // First, as it goes by itself after 5 s.
    expect(await screen.findAllByText('Sie haben keine Berechtigung für diesen Bereich.')).not.toHaveLength(0);
    await heading('Willkommen, mara');
    expect(window.location.pathname).toBe('/testnormec');
  });

  it('shows the not-found page with the way home', async () => {
    open('/gibt-es-nicht', {});
    await heading('Oops! Page not found');
    expect(screen.getByRole('link', { name: 'Return to Home' }).getAttribute('href')).toBe('/');
  });

  it('Shows the page for accounts without a role until there is a role (§2.13)', async () => {
    storeSession();
    const answers: Record<string, () => Response> = {
      'GET /rest/v1/user_roles': () => Response.json({ code: 'PGRST116', message: '' }, { status: 406 }),
    };
    open('/', answers);
    await heading('Keine Berechtigung');
    expect(screen.getByText(STUB_USER.email)).toBeDefined();
    answers['GET /rest/v1/user_roles'] = () => Response.json({ role: 'firma_a' });
    await userEvent.click(screen.getByRole('button', { name: 'Berechtigung aktualisieren' }));
    await heading('Willkommen, mara');
  });
});

describe('§4 logout', () => {
  it('clears, says so, goes to the login and remembers no path', async () => {
    storeSession();
    open('/firma-a', roleIs('firma_a'));
    await heading('Willkommen, mara');
    sessionStorage.setItem('currentInterviewId', '7');
    await userEvent.click(screen.getByTitle('Abmelden'));
    expect(await screen.findAllByText('Sie wurden erfolgreich abgemeldet.')).not.toHaveLength(0);
    await heading('Anmelden');
    expect(window.location.pathname).toBe('/login');
    expect(sessionStorage).toHaveLength(0);
    expect(localStorage.getItem('redirect_after_login')).toBeNull();
  });
});

describe('a server that is away', () => {
  it('says so, and goes on when it is back', async () => {
    const answers: Record<string, () => Response> = { 'GET /config.json': noConnection };
    open('/login', answers);
    await heading('Der Server ist gerade nicht erreichbar');
    answers['GET /config.json'] = () => Response.json(STUB_CONFIG);
    await userEvent.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
    await heading('Anmelden');
  });
});

describe('D15 forgotten password', () => {
  it.each(['/passwort-vergessen', '/anmeldung-code'])('says at %s where no mail server is set up', async (path) => {
    open(path, { 'GET /config.json': () => Response.json({ ...STUB_CONFIG, accountMails: false }) });
    expect(await screen.findByText(/^Hier ist kein Mailversand eingerichtet/)).toBeDefined();
  });

  it('takes the code of a mail with the words around it', async () => {
    const sent: unknown[] = [];
    open('/anmeldung-code', {
      'POST /auth/v1/otp': () => Response.json({}),
      'POST /auth/v1/verify': (body) => {
        sent.push(JSON.parse(String(body)));
        return Response.json({ code: 403, error_code: 'otp_expired', msg: '' }, { status: 403 });
      },
    });
    const user = userEvent.setup();
    await user.type(await screen.findByLabelText('E-Mail'), STUB_USER.email);
    await user.click(screen.getByRole('button', { name: /Code/ }));
    await user.click(await screen.findByLabelText('Code aus der E-Mail'));
    await user.paste('Dein Code: 123-456');
    await user.click(screen.getByRole('button', { name: 'Anmelden' }));
    await waitFor(() => expect(sent).toMatchObject([{ email: STUB_USER.email, token: '123456' }]));
  });

  it.each([200, 404])('confirms the same, whatever the backend says about the account (%s)', async (status) => {
    const calls = open('/passwort-vergessen', { 'POST /auth/v1/recover': () => Response.json({}, { status }) });
    const user = userEvent.setup();
    await user.type(await screen.findByLabelText('E-Mail'), 'wer@auch.immer');
    await user.click(screen.getByRole('button', { name: 'Link anfordern' }));
    await screen.findByText('Sieh in dein Postfach');
    expect(calls).toContain('POST /auth/v1/recover');
    await act(async () => undefined);
  });

  it.each([
    ['otp_expired', 'Dieser Link gilt nicht mehr', 'Neuen Link anfordern'],
    ['user_banned', 'Dieses Konto ist gesperrt', 'Zurück zur Anmeldung'],
  ])('Says that a link led nowhere (%s), also where somebody is logged in', async (code, title, onward) => {
    storeSession();
    localStorage.setItem(`last_role:${STUB_USER.id}`, 'firma_a');
    open(`/passwort-neu#error=access_denied&error_code=${code}&error_description=x`, roleIs('firma_a'));
    await heading(title);
    expect(screen.getByRole('link', { name: onward })).toBeDefined();
    expect(screen.queryByLabelText('Neues Passwort')).toBeNull();
  });
});
