import type { Page } from '@playwright/test';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, test } from './application.ts';
import { expectAccessible } from './findings.ts';
import { expectNoToast, expectNotice, expectToast } from './toasts.ts';
import { expectRecorded } from './voice-message.ts';

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

/** Runs in each page before its own scripts: what its recorder does wrong. */
function breakRecorder(): void {
  const wrong = sessionStorage.getItem('wrong');
  const refuse = (): never => {
    throw new DOMException('x', 'InvalidStateError');
  };
  if (wrong === null) return;
  Object.defineProperty(BlobEvent.prototype, 'data', { get: () => new Blob([], { type: 'audio/webm' }) });
  if (wrong === 'has no recorder') Reflect.deleteProperty(globalThis, 'MediaRecorder');
  if (wrong === 'does not start') MediaRecorder.prototype.start = refuse;
  if (wrong === 'cannot be stopped') MediaRecorder.prototype.stop = refuse;
  if (wrong !== 'breaks') return;
  globalThis.MediaRecorder = class extends MediaRecorder {
    override start(everyMs?: number): void {
      super.start(everyMs);
      setTimeout(() => this.dispatchEvent(new Event('error')), 500);
    }
  };
}

const start = (page: Page) => page.getByRole('button', { name: 'Aufnahme starten' });

test('Says what goes wrong with the microphone, with the steps to allow it, and with the recorder, which can start again (§8)', async ({
  page,
  loginAs,
}) => {
  await page.addInitScript(breakRecorder);
  await loginAs('vdi_admin', '/voice-message');
  for (const [error, text] of REFUSALS) {
    await page.evaluate((name) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('x', name));
    }, error);
    await start(page).click();
    await expectNotice(page, 'Fehler', text);
  }
  const steps = page.getByRole('alert').getByRole('listitem');
  await expect(steps).toHaveCount(3);
  await expect(steps.nth(1)).toHaveText('Stelle „Mikrofon“ auf „Zulassen“.');
  await expectAccessible(page);

  for (const [name, text] of [
    [
      'has no recorder',
      'Ihr Browser unterstützt keine Audioaufnahme. Bitte verwenden Sie einen aktuellen Browser wie Chrome, Firefox oder Edge.',
    ],
    ['does not start', 'Die Aufnahme konnte nicht gestartet werden. Bitte versuchen Sie es erneut.'],
    ['breaks', 'Bei der Aufnahme ist ein Fehler aufgetreten. Bitte versuchen Sie es erneut.'],
    ['cannot be stopped', 'Die Aufnahme konnte nicht beendet werden. Bitte versuchen Sie es erneut.'],
    ['gives nothing', 'Die Aufnahme konnte nicht verarbeitet werden. Bitte nehmen Sie sie erneut auf.'],
  ] as const) {
    await page.evaluate((wrong) => sessionStorage.setItem('wrong', wrong), name);
    await page.reload();
    await start(page).click();
    if (name === 'cannot be stopped' || name === 'gives nothing') {
      await page.getByRole('button', { name: 'Aufnahme beenden' }).click();
    }
    await expectNotice(page, 'Fehler', text);
  }
  await expect(start(page)).toBeEnabled();
});

test.describe('The recording', () => {
  test('Says when it has started and is paused; going on ends it and takes it along whole (§2.6, §8)', async ({
    page,
    loginAs,
  }) => {
    await loginAs('vdi_admin', '/voice-message');
    await start(page).click();
    await expect(page.getByText('Aufnahme gestartet')).toBeInViewport();
    await expectRecorded(page, 1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByText('Aufnahme pausiert')).toBeVisible();
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await expect(page.getByRole('textbox', { name: 'Transkript' })).toHaveValue(SPOKEN_TEXT);
    await expectNoToast(page);
  });

  test('that is not understood: each reason is said, and it stays when the page is closed (§4, §8)', async ({
    page: first,
    context,
    transcription,
    loginAs,
  }) => {
    await loginAs('vdi_admin', '/voice-message');
    await start(first).click();
    await expectRecorded(first, 3);
    await first.close({ runBeforeUnload: false });
    const page = await context.newPage();
    await page.goto('/voice-message');
    await page.getByRole('button', { name: 'Damit weitermachen' }).click();
    await expect(page.getByText('Aufnahme fertig')).toBeVisible();
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
    await expect(page.getByText('Aufnahme fertig')).toBeVisible();
  });

  test('that is corrupt: the format is refused, the recording stays (§8)', async ({ page, transcription, loginAs }) => {
    await loginAs('vdi_admin', '/voice-message');
    await replaceAudio(page, 4_000);
    await start(page).click();
    await expectRecorded(page, 1);
    await page.getByRole('button', { name: 'Aufnahme beenden' }).click();
    await expect(page.getByText('Aufnahme beendet')).toBeInViewport();
    await expectNoToast(page);
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await expectToast(page, 'Transkriptionsfehler', 'Das Format der Aufnahme wird nicht unterstützt.');
    await expect(page.getByText('Aufnahme fertig')).toBeVisible();
    expect(transcription.calls()).toEqual([]);
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

/** What the recorder gets from now on instead of sound: so many bytes of nothing. */
async function replaceAudio(page: Page, bytes: number): Promise<void> {
  await page.evaluate((size) => {
    Object.defineProperty(BlobEvent.prototype, 'data', {
      get: () => new Blob([new Uint8Array(size).fill(7)], { type: 'audio/webm' }),
    });
  }, bytes);
}
