import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, emptyOutbox, keptBy, loseFile, stubObjectUrls } from '#tests/support/web/fixtures.ts';
import { expectToast, type FlowRun, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { ContributorUploadScreen } from './index.tsx';
import '#tests/support/indexed-db.ts';

const KEY = 'k'.repeat(43);
const fake = fakeBackendForEach((world) => void world.interviews.set(77, { id: 77 }));
beforeEach(stubObjectUrls);
afterEach(async () => {
  releaseAllParts();
  await emptyOutbox(DEVICE_OWNER);
  window.history.replaceState(null, '', '/');
});

async function open(): Promise<FlowRun> {
  window.history.replaceState(null, '', `/upload#i=77&k=${KEY}`);
  const run = renderFlow(<ContributorUploadScreen />, { backend: fake.backend });
  await waitForState(() => expect(screen.getByRole('heading', { name: 'Upload von Medien' })).toBeTruthy());
  return run;
}
const photo = (name: string, content = name, lastModified = 1) =>
  new File([content], name, { type: 'image/jpeg', lastModified });
const click = ({ user }: FlowRun, name: string) => user.click(screen.getByRole('button', { name }));
const rows = () => within(screen.getByRole('list', { name: 'Ausgewählte Dateien' })).getAllByRole('listitem');
const rowsThatAskAgain = () => rows().filter((row) => row.textContent.includes('Wähle die Datei noch einmal aus'));

describe('§8 several files that the device no longer gives', () => {
  it('of one name: each that is chosen again takes one place, its own where it has one', async () => {
    const run = await open();
    await chooseFiles(run, loseFile(photo('image.jpg', 'eins')), loseFile(photo('image.jpg', 'zwei zwei')));
    await click(run, 'Hochladen');
    await waitForState(() => expect(rowsThatAskAgain()).toHaveLength(2));
    await chooseFiles(run, photo('image.jpg', 'zwei zwei'));
    expect(screen.queryByText('Schon ausgewählt')).toBeNull();
    expect(rows()).toHaveLength(2);
    expect(rowsThatAskAgain()).toHaveLength(1);
    await chooseFiles(run, photo('image.jpg', 'eins, bearbeitet', 2));
    expect(rowsThatAskAgain()).toEqual([]);
    await click(run, 'Hochladen');
    await waitForState(() => expect(fake.media).toHaveLength(2));
  });

  it('found where it is kept: its row asks for it, and what is chosen again is kept in its place', async () => {
    for (const call of ['GET interviews', 'GET media_uploads', 'GET bucket'])
      fake.fail(call, refusal(400, 'XX000'), 99);
    const run = await open();
    const lost = photo('a.jpg');
    await chooseFiles(run, lost, photo('b.jpg'));
    const KEEP = 'Auf diesem Gerät sichern';
    await waitForState(() => expect(screen.getByRole('button', { name: KEEP })).toBeTruthy());
    loseFile(lost);
    await click(run, KEEP);
    await waitForState(() =>
      expect(rowsThatAskAgain().map((row) => row.textContent)).toEqual([expect.stringContaining('a.jpg')]),
    );
    await chooseFiles(run, photo('a.jpg', 'a.jpg, bearbeitet', 2));
    await click(run, 'Erneut versuchen');
    await expectToast({ title: 'Dateien gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '77', parts: ['b.jpg', 'a.jpg'] }]);
  });
});

it('§5 of many files that are not taken the message names a few and counts the others', async () => {
  const run = await open();
  await chooseFiles(run, ...Array.from({ length: 120 }, (_, index) => new File(['x'], `IMG_${index}.HEIC`)));
  await expectToast({ title: 'Ungültiger Dateityp' });
  expect(screen.getByText(/Einige Dateien wurden nicht hinzugefügt/).textContent.split('\n')).toEqual([
    'Einige Dateien wurden nicht hinzugefügt, da sie nicht unterstützt werden.',
    '„IMG_0.HEIC“ wird nicht unterstützt.',
    '„IMG_1.HEIC“ wird nicht unterstützt.',
    '„IMG_2.HEIC“ wird nicht unterstützt.',
    'Weitere Dateien: 117',
    expect.stringContaining('HEIC-Fotos können noch nicht angezeigt werden.'),
  ]);
});
