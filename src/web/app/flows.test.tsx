import '#tests/support/indexed-db.ts';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ownArea } from '#contract/areas.ts';
import { ROLES, type Role } from '#contract/roles.ts';
import { STUB_CONFIG, storeSession, type Answers } from '#tests/support/web/stub-server.ts';
import { applicationForEach, open } from '#tests/support/web/render-application.tsx';
import { resetParts, setRecorder } from '#tests/support/web/fake-parts.tsx';

vi.mock('#web/features/voice-message/recording/use-recorder.ts', async (original) => ({
  ...(await original<object>()),
  useRecorder: (await import('#tests/support/web/fake-parts.tsx')).useFakeRecorder,
}));

applicationForEach();
beforeEach(resetParts);

const user = userEvent.setup();
const heading = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name });

/** The whole application, at this path of its history, for a person with this role. */
function openAs(role: Role, path: string, { state = {}, transcription = true } = {}): void {
  storeSession();
  const answers: Answers = {
    'GET /config.json': () => Response.json({ ...STUB_CONFIG, transcription }),
    'GET /rest/v1/user_roles': () => Response.json({ role }),
  };
  open(path, answers, { __TSR_index: 0, __TSR_key: 'k', key: 'k', ...state });
}

/** What is said in the screen or as a toast, once. */
async function expectMessage(title: string, description: string): Promise<void> {
  await waitFor(() => {
    const said = Array.from(document.querySelectorAll('[data-variant]'), ({ textContent }) => textContent);
    expect(said.some((text) => text.includes(title) && text.includes(description))).toBe(true);
  });
}

describe('A screen of a flow that is entered without its contribution', () => {
  const none = ['Keine Transkription vorhanden', 'Bitte nehmen Sie erst eine Sprachnachricht auf.'] as const;
  const later = 'Keine Interview-ID gefunden. Uploads werden möglicherweise nicht korrekt gespeichert.';

  it.each([
    ['vdi_admin', '/transcript-edit', '/interview-category', ...none],
    ['firma_a', '/firma-a/transcript-edit', '/firma-a/interview-category', ...none],
    ['testnormec', '/testnormec/transcript-edit', '/testnormec/voice-message', ...none],
    ['vdi_admin', '/image-upload-after-voice', '/image-upload-after-voice', 'Hinweis', later],
    ['firma_b', '/firma-b/image-upload-after-voice', '/firma-b/image-upload-after-voice', 'Hinweis', later],
    [
      'testnormec',
      '/testnormec/image-upload-after-voice',
      '/testnormec',
      'Keine Interview-ID gefunden',
      'Bitte starten Sie den Prozess von vorne.',
    ],
  ] as const)('Refuses %s without an id at %s and leads to %s (§8)', async (role, path, end, title, description) => {
    openAs(role, path);
    await expectMessage(title, description);
    await waitFor(() => expect(window.location.pathname).toBe(end));
  });

  it.each([
    ['vdi_admin', '/thank-you', 'Zur Upload-Seite', '/upload'],
    ['firma_a', '/firma-a/thank-you', 'Zur Upload-Seite', '/firma-a/upload'],
    ['testnormec', '/testnormec/thank-you', 'Zur Sprachnachricht', '/testnormec/voice-message'],
  ] as const)('Thanks %s at %s with the hint and without the form (§2.11)', async (role, path, link, end) => {
    openAs(role, path);
    await screen.findByText(/Bitte gehe zurück zur Upload-Seite/);
    expect(await screen.findByText('Noch keine Dateien hochgeladen')).toBeTruthy();
    expect(screen.queryByText('Kontaktdaten für Review und Nutzung')).toBeNull();
    await user.click(screen.getByRole('link', { name: link }));
    await waitFor(() => expect(window.location.pathname).toBe(end));
  });

  it.each([{ transcript: { text: 'x' }, interviewId: 7 }, { transcript: ['x'] }, { interviewId: { id: 1 } }])(
    'Takes a hand-made history state of the wrong shape for none: %j (§2.7)',
    async (state) => {
      openAs('vdi_admin', '/transcript-edit', { state });
      await expectMessage('Keine Transkription vorhanden', '');
      await waitFor(() => expect(window.location.pathname).toBe('/interview-category'));
    },
  );
});

describe('Where nothing transcribes', () => {
  const promise = 'Sprich frei, wir schreiben mit.';
  const untranscribed = 'Sprich frei und schreib danach kurz auf, worum es geht.';

  it.each([
    ['vdi_admin', '/'],
    ['firma_a', '/firma-a'],
    ['firma_b', '/firma-b/content-selection'],
    ['testnormec', '/testnormec'],
  ] as const)(
    'the start page of %s at %s does not promise it; where something does, it does (D21)',
    async (role, path) => {
      openAs(role, path, { transcription: false });
      expect(await screen.findByText(untranscribed)).toBeTruthy();
      expect(screen.queryByText(promise)).toBeNull();
      cleanup();
      openAs(role, path);
      expect(await screen.findByText(promise)).toBeTruthy();
      expect(screen.queryByText(untranscribed)).toBeNull();
    },
  );
});

describe('The steps of a flow', () => {
  const firstScreens = ROLES.flatMap((role) => {
    const { base = '', flows = [] } = ownArea(role) ?? {};
    return (
      [
        ['voice-message', 4],
        ['interview-category', 6],
        ['document-upload', 2],
        ['image-upload', 4],
        ['video-upload', 4],
      ] as const
    )
      .filter(([flow]) => flows.includes(flow))
      .map(([flow, total]) => [role, `${base}/${flow}`, total] as const);
  });

  it.each(firstScreens)('begin for %s at %s with the first of %s (decision 0259)', async (role, path, total) => {
    openAs(role, path);
    expect((await screen.findByText(/^Schritt \d/)).textContent).toContain(`Schritt 1 von ${total}`);
    expect(window.location.pathname).toBe(path);
  });
});

describe('A running recording', () => {
  const question = () => screen.queryByRole('alertdialog', { name: 'Deine Aufnahme läuft noch' });
  const link = (name: string | RegExp) => user.click(screen.getAllByRole('link', { name })[0] ?? expect.fail());

  it.each([
    // D2: its card leads into the own area.
    ['firma_a', '/firma-a', '/firma-a/voice-message'],
    ['firma_b', '/firma-b/content-selection', '/firma-b/voice-message'],
    ['testnormec', '/testnormec', '/testnormec/voice-message'],
  ] as const)('asks %s by every way out of it (decision 0278)', async (role, home, path) => {
    openAs(role, home);
    await user.click((await screen.findAllByRole('link', { name: /Sprachnachricht/ }))[0] ?? expect.fail());
    await heading('Sprachnachricht');
    act(() => setRecorder({ state: { status: 'recording', seconds: 2, paused: false }, seconds: 2 }));
    const ways = {
      logo: () => link('Zum eigenen Bereich'),
      title: () => link('Social-Media-Content-Assistent'),
      navigation: () => link(/^Meine Beiträge/),
      back: () => user.click(screen.getByRole('button', { name: 'Zurück' })),
      foot: () => link('Impressum'),
      browser: async () => window.history.back(),
    };
    for (const [way, leave] of Object.entries(ways)) {
      await leave();
      await waitFor(() => expect(question(), way).not.toBeNull());
      await user.click(screen.getByRole('button', { name: 'Hier bleiben' }));
      await waitFor(() => expect(question(), way).toBeNull());
      expect(window.location.pathname).toBe(path);
    }
    await link('Zum eigenen Bereich');
    await user.click(await screen.findByRole('button', { name: 'Trotzdem gehen' }));
    await waitFor(() => expect(window.location.pathname).toBe(ownArea(role)?.base));
    expect(screen.queryByText('Aufnahme läuft')).toBeNull();
  });
});
