import { screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { getHeldParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { NETWORK, refusal, storageRefusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { stubObjectUrls } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowPlace,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForRetry,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import { ImageUploadAfterVoiceScreen } from './index.tsx';

const fake = fakeBackendForEach();
beforeEach(stubObjectUrls);

const open = (place: Omit<FlowPlace, 'backend'> = {}) =>
  renderFlow(<ImageUploadAfterVoiceScreen />, { ...place, backend: fake.backend });
const image = (name = 'a.jpg', content = 'bild') => new File([content], name, { type: 'image/jpeg' });
const many = (count: number) => Array.from({ length: count }, (_, index) => image(`${index}.jpg`));

async function choose({ user }: FlowRun, ...files: File[]): Promise<void> {
  const input = document.querySelector('input[type=file]');
  if (!(input instanceof HTMLInputElement)) return expect.fail('no file input');
  input.multiple = true;
  await user.upload(input, files);
}
/** §9: 1 s before the second and before the third attempt. */
async function passRetries(): Promise<void> {
  for (const attempts of [1, 2]) {
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(attempts));
    await waitForRetry();
    await pass(1000);
  }
}
const upload = async ({ user }: FlowRun) => user.click(screen.getByRole('button', { name: 'Hochladen' }));
const shown = (): HTMLElement[] => {
  const list = screen.queryByRole('list', { name: 'Ausgewählte Bilder' });
  return list === null ? [] : within(list).queryAllByRole('listitem');
};

describe('§2.8 generic', () => {
  const place = { state: { interviewId: '7' } };

  it('uploads one image and goes to thank-you after 1 s', async () => {
    freezeTime();
    const run = open(place);
    await choose(run, image('Foto.JPG'));
    await upload(run);
    await expectToast({ title: 'Upload erfolgreich', description: 'Bilder erfolgreich hochgeladen (1)' });
    expect(fake.media[0]).toMatchObject({ interview_id: 7, file_type: 'image/jpeg' });
    expect(String(fake.media[0]?.['file_path'])).toMatch(/^7\/\d+_[0-9a-f]{32}\.jpg$/);
    await pass(999);
    expect(run.went).toEqual([]);
    await pass(1);
    expect(run.went).toEqual([{ to: 'thank-you', state: { interviewId: '7', uploadSuccess: true } }]);
  });

  it('takes one image only', async () => {
    const run = open(place);
    await choose(run, ...many(2));
    await expectToast({ title: 'Zu viele Dateien', description: 'Hier ist nur ein Bild möglich.' });
    expect(shown()).toEqual([]);
  });

  it('A second image takes the place of the first', async () => {
    const run = open(place);
    await choose(run, image('werkstatt.jpg'));
    await choose(run, image('halle.jpg'));
    expect(shown()).toHaveLength(1);
    expect(shown()[0]?.textContent).toContain('halle.jpg');
  });

  it('skips without images', async () => {
    const run = open(place);
    await run.user.click(screen.getByRole('button', { name: 'Überspringen' }));
    expect(run.went).toEqual([{ to: 'thank-you', state: { interviewId: '7', uploadSuccess: false } }]);
  });

  it('Says after three attempts that the images could not be uploaded; the same file can be sent again (§8)', async () => {
    freezeTime();
    fake.fail('POST object', NETWORK, 3);
    const run = open(place);
    await choose(run, image());
    await upload(run);
    await passRetries();
    await expectToast({
      title: 'Upload fehlgeschlagen',
      description: 'Die Bilder konnten nicht hochgeladen werden. Bitte versuche es erneut.',
    });
    expect(fake.called('POST object')).toHaveLength(3);
    expect(shown()[0]?.textContent).toContain('a.jpg');
    expect(shown()[0]?.textContent).toContain('Keine Verbindung');
    await upload(run);
    await expectToast({ title: 'Upload erfolgreich', description: 'Bilder erfolgreich hochgeladen (1)' });
    const [first, ...others] = fake.objects.keys();
    expect(others).toEqual([]);
    expect(fake.media[0]?.['file_path']).toBe(first);
    await pass(1000);
    expect(run.went).toMatchObject([{ to: 'thank-you' }]);
  });

  it.each([
    [storageRefusal('413', 'EntityTooLarge'), 'Zu groß für den Server. Sag dem Team Bescheid.', 1],
    [storageRefusal('403', 'AccessDenied'), 'Nicht erlaubt', 1],
    [{ status: 507, body: {} }, 'Der Speicher ist gerade voll', 3],
    [{ status: 500, body: {} }, 'Nicht hochgeladen', 3],
  ] as const)('names the reason of a failure: %j, %s', async (failure, reason, attempts) => {
    freezeTime();
    fake.fail('POST object', failure, 3);
    const run = open(place);
    await choose(run, image());
    await upload(run);
    if (attempts > 1) await passRetries();
    await waitForState(() => expect(shown()[0]?.textContent).toContain(reason));
    expect(fake.called('POST object')).toHaveLength(attempts);
  });

  it('Warns on entry where there is no id, and on submit (§8)', async () => {
    const run = open();
    await expectToast({
      title: 'Hinweis',
      description: 'Keine Interview-ID gefunden. Uploads werden möglicherweise nicht korrekt gespeichert.',
    });
    await choose(run, image());
    await upload(run);
    await expectToast({
      title: 'Fehler',
      description: 'Keine Interview-ID gefunden. Bitte starte den Prozess erneut.',
    });
    expect(run.went).toEqual([]);
  });

  it('keeps the images of a local id in the browser, says so after 0.5 s and goes on', async () => {
    freezeTime();
    for (const look of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(look, NETWORK, 99);
    const run = open({ state: { interviewId: 'local_voice_1_a' } });
    await choose(run, image());
    await upload(run);
    await waitForState(() => expect(getHeldParts('local_voice_1_a')).toHaveLength(1));
    await pass(500);
    await expectToast({ title: 'Bilder lokal gespeichert', description: 'temporär' });
    await pass(1000);
    expect(run.went).toEqual([{ to: 'thank-you', state: { interviewId: 'local_voice_1_a', uploadSuccess: false } }]);
    expect(fake.called('POST object')).toEqual([]);
  });

  it('Has nothing to upload without a file (§5)', async () => {
    const run = open(place);
    await upload(run);
    await expectToast({ title: 'Keine Dateien zum Hochladen' });
  });

  it('Metadata trouble is only logged (§8)', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    fake.fail('POST media_uploads', refusal(409, '23503'), 3);
    const run = open(place);
    await choose(run, image());
    await upload(run);
    await expectToast({ title: 'Upload erfolgreich' });
    expect(log).toHaveBeenCalledWith(expect.any(String), '23503');
  });

  it('ignores a second submit', async () => {
    const run = open(place);
    await choose(run, image());
    await run.user.dblClick(screen.getByRole('button', { name: 'Hochladen' }));
    await expectToast({ title: 'Upload erfolgreich' });
    expect(fake.media).toHaveLength(1);
  });

  it('warns before the page is left, as the contribution is not handed in (decision 0275)', async () => {
    const run = open(place);
    const leaving = () => {
      const event = new Event('beforeunload', { cancelable: true });
      window.dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(leaving()).toBe(true);
    run.unmount();
    expect(leaving()).toBe(false);
  });
});
