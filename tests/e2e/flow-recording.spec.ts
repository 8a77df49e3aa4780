import type { Page } from '@playwright/test';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, test } from './application.ts';
import { expectAccessible } from './findings.ts';
import { expectNoToast, expectNotice, expectToast } from './toasts.ts';
import { expectRecorded, record } from './voice-message.ts';

test.describe('§8 the microphone', () => {
  const REFUSALS = [
    [
      'NotFoundError',
      'Es wurde kein Mikrofon gefunden. Bitte schließen Sie ein Mikrofon an und versuchen Sie es erneut.',
    ],
    [
      'NotReadableError',
      'Auf das Mikrofon kann nicht zugegriffen werden. Bitte prüfen Sie, ob ein anderes Programm es gerade verwendet.',
    ],
    // Last, as its steps are looked at.
    ['NotAllowedError', 'Mikrofon-Zugriff wurde verweigert'],
  ] as const;

  test('Says why there is none: refused, missing or in use; a refusal with the steps to allow it in this browser', async ({
    page,
    loginAs,
  }) => {
    await loginAs('vdi_admin', '/voice-message');
    for (const [error, text] of REFUSALS) {
      await page.evaluate((name) => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('x', name));
      }, error);
      await page.getByRole('button', { name: 'Aufnahme starten' }).click();
      await expectNotice(page, 'Fehler', text);
    }
    const steps = page.getByRole('alert').getByRole('listitem');
    await expect(steps).toHaveCount(3);
    await expect(steps.nth(1)).toHaveText('Stelle „Mikrofon“ auf „Zulassen“.');
    await expectAccessible(page);
  });

  test('no support: recommends Chrome, Firefox or Edge', async ({ page, loginAs }) => {
    await page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'MediaRecorder'));
    await loginAs('vdi_admin', '/voice-message');
    await page.getByRole('button', { name: 'Aufnahme starten' }).click();
    await expectNotice(
      page,
      'Fehler',
      'Ihr Browser unterstützt keine Audioaufnahme. Bitte verwenden Sie einen aktuellen Browser wie Chrome, Firefox oder Edge.',
    );
  });

  test('a recorder that does not start', async ({ page, loginAs }) => {
    await page.addInitScript(() => {
      MediaRecorder.prototype.start = () => {
        throw new DOMException('x', 'InvalidStateError');
      };
    });
    await loginAs('vdi_admin', '/voice-message');
    await page.getByRole('button', { name: 'Aufnahme starten' }).click();
    await expectNotice(page, 'Fehler', 'Die Aufnahme konnte nicht gestartet werden. Bitte versuchen Sie es erneut.');
  });
});

test.describe('the recording', () => {
  test('Says when it has started and when it has ended (§8)', async ({ page, loginAs }) => {
    await loginAs('vdi_admin', '/voice-message');
    await page.getByRole('button', { name: 'Aufnahme starten' }).click();
    await expect(page.getByText('Aufnahme gestartet')).toBeInViewport();
    await expectRecorded(page, 1);
    await page.getByRole('button', { name: 'Aufnahme beenden' }).click();
    await expect(page.getByText('Aufnahme beendet')).toBeInViewport();
    await expectNoToast(page);
  });

  test('A paused recording is ended by going on, and goes along whole (§2.6)', async ({ page, loginAs }) => {
    await loginAs('vdi_admin', '/voice-message');
    await page.getByRole('button', { name: 'Aufnahme starten' }).click();
    await expectRecorded(page, 1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByText('Aufnahme pausiert')).toBeVisible();
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await expect(page.getByRole('textbox', { name: 'Transkript' })).toHaveValue(SPOKEN_TEXT);
    await expectNoToast(page);
  });

  test('Asks for a recording before going on (§5)', async ({ page, loginAs }) => {
    await loginAs('vdi_admin', '/voice-message');
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await expectToast(page, 'Keine Aufnahme vorhanden', 'Bitte nehmen Sie zuerst eine Sprachnachricht auf.');
  });

  test('that is empty says so and can be made again', async ({ page, loginAs }) => {
    await replaceAudio(page, 0);
    await loginAs('vdi_admin', '/voice-message');
    await page.getByRole('button', { name: 'Aufnahme starten' }).click();
    await expectRecorded(page, 1);
    await page.getByRole('button', { name: 'Aufnahme beenden' }).click();
    await expectNotice(
      page,
      'Fehler',
      'Die Aufnahme konnte nicht verarbeitet werden. Bitte nehmen Sie sie erneut auf.',
    );
    await expect(page.getByRole('button', { name: 'Aufnahme starten' })).toBeEnabled();
  });

  test('that is corrupt: the format is refused, the recording stays', async ({ page, transcription, loginAs }) => {
    await replaceAudio(page, 4_000);
    await loginAs('vdi_admin', '/voice-message');
    await record(page, 1);
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await expectToast(page, 'Transkriptionsfehler', 'Das Format der Aufnahme wird nicht unterstützt.');
    await expect(page.getByText('Aufnahme fertig')).toBeVisible();
    expect(transcription.calls()).toEqual([]);
  });

  test('that is not understood: nobody speaks, the service says why, has no key, answers nonsense (§8)', async ({
    page,
    transcription,
    loginAs,
  }) => {
    await loginAs('vdi_admin', '/voice-message');
    await record(page, 1);
    const next = page.getByRole('button', { name: 'Weiter', exact: true });
    for (const [behaviour, text] of NOT_UNDERSTOOD) {
      transcription.behave(behaviour);
      const moved = watchActions(page);
      await next.click();
      await expectToast(page, 'Transkriptionsfehler', text);
      expect(await moved, 'a press meets the button while its message comes into sight').toBeLessThan(BUTTON_PX / 2);
    }
    await page.route('**/v1/audio/transcriptions', (route) => route.fulfill({ status: 200, body: '<html>' }));
    await next.click();
    await expectToast(page, 'Transkriptionsfehler', 'Transkription ist fehlgeschlagen');
  });
});

const BUTTON_PX = 44;

const STILL_FRAMES = 20;

/** Resolves with how far the actions moved while the next message was scrolled into sight, in CSS pixels. */
async function watchActions(page: Page): Promise<number> {
  return page.evaluate(async (stillFrames) => {
    const find = () => document.querySelector('main [role=alert]');
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const earlier = find();
    while (find() === null || find() === earlier) await nextFrame();
    const tops: number[] = [];
    for (let still = 0, last = scrollY; still < stillFrames; still = scrollY === last ? still + 1 : 0) {
      last = scrollY;
      tops.push(document.querySelector('[data-actions]')?.getBoundingClientRect().top ?? 0);
      await nextFrame();
    }
    return Math.max(...tops) - Math.min(...tops);
  }, STILL_FRAMES);
}

const NOT_UNDERSTOOD = [
  [{ kind: 'text', text: '  ' }, 'In der Aufnahme wurde keine Sprache erkannt. Hör sie dir an oder nimm sie neu auf.'],
  [
    { kind: 'answer', status: 500, body: '{"error":{"message":"Das Modell ist überlastet"}}' },
    'Das Modell ist überlastet',
  ],
  [{ kind: 'answer', status: 500, body: '<html>kaputt</html>' }, 'Fehler bei der Transkription: 502 Bad Gateway'],
  [{ kind: 'answer', status: 401, body: '{}' }, 'Für den Transkriptionsdienst ist kein gültiger Schlüssel hinterlegt.'],
] as const;

test.describe('§8 in the middle', () => {
  for (const [name, text] of [
    ['the recorder breaks', 'Bei der Aufnahme ist ein Fehler aufgetreten. Bitte versuchen Sie es erneut.'],
    ['it cannot be stopped', 'Die Aufnahme konnte nicht beendet werden. Bitte versuchen Sie es erneut.'],
  ] as const) {
    test(`What else goes wrong while recording: ${name} (§8)`, async ({ page, loginAs }) => {
      await replaceAudio(page, 0);
      await page.addInitScript((breaks) => {
        if (breaks) {
          globalThis.MediaRecorder = class extends MediaRecorder {
            override start(everyMs?: number): void {
              super.start(everyMs);
              setTimeout(() => this.dispatchEvent(new Event('error')), 500);
            }
          };
          return;
        }
        MediaRecorder.prototype.stop = () => {
          throw new DOMException('x', 'InvalidStateError');
        };
      }, name === 'the recorder breaks');
      await loginAs('vdi_admin', '/voice-message');
      await page.getByRole('button', { name: 'Aufnahme starten' }).click();
      if (name === 'it cannot be stopped') await page.getByRole('button', { name: 'Aufnahme beenden' }).click();
      await expectNotice(page, 'Fehler', text);
    });
  }
});

/** What the recorder gets instead of sound: so many bytes of nothing. */
async function replaceAudio(page: Page, bytes: number): Promise<void> {
  await page.addInitScript((size) => {
    Object.defineProperty(BlobEvent.prototype, 'data', {
      get: () => new Blob([new Uint8Array(size).fill(7)], { type: 'audio/webm' }),
    });
  }, bytes);
}
