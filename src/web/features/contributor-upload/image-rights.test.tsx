import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { getHeldFiles, releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, emptyOutbox, stubObjectUrls } from '#tests/support/web/fixtures.ts';
import { type FlowRun, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { ContributorUploadScreen } from './index.tsx';
import '#tests/support/indexed-db.ts';

const KEY = 'k'.repeat(43);
const ALL = 'Wer ist zu erkennen? Gilt für beide Dateien';
const KEEP = 'Auf diesem Gerät sichern';
const AGREED = 'Alle sind einverstanden';
const fake = fakeBackendForEach((world) => void world.interviews.set(77, { id: 77 }));
beforeEach(stubObjectUrls);
afterEach(async () => {
  releaseAllParts();
  await emptyOutbox(DEVICE_OWNER);
  window.history.replaceState(null, '', '/');
});

async function open(imageRights = true): Promise<FlowRun> {
  window.history.replaceState(null, '', `/upload#i=77&k=${KEY}`);
  const backend = { ...fake.backend, config: { ...fake.backend.config, imageRights } };
  const run = renderFlow(<ContributorUploadScreen />, { backend });
  await waitForState(() => expect(screen.getByRole('heading', { name: 'Upload von Medien' })).toBeTruthy());
  return run;
}
const photo = (name: string) => new File([name], name, { type: 'image/jpeg', lastModified: 1 });
const click = ({ user }: FlowRun, name: string) => user.click(screen.getByRole('button', { name }));
const listRights = () => fake.media.map((row) => (row as { image_rights?: unknown }).image_rights);

it('Hands in pictures without an answer as „Weiß ich nicht“ (image rights)', async () => {
  const run = await open();
  await chooseFiles(run, photo('a.jpg'));
  expect(screen.getByRole('combobox', { name: 'Wer ist zu erkennen?' })).toHaveProperty('value', 'unknown');
  await click(run, 'Hochladen');
  await waitForState(() => expect(run.went).toHaveLength(1));
  expect(listRights()).toEqual(['unknown']);
});

it('One answer counts for all pictures, another one for a single picture (image rights)', async () => {
  const run = await open();
  await chooseFiles(run, photo('a.jpg'), photo('b.jpg'));
  await run.user.selectOptions(screen.getByRole('combobox', { name: ALL }), AGREED);
  await run.user.click(screen.getByText('Für jede Datei einzeln angeben'));
  await run.user.selectOptions(screen.getByRole('combobox', { name: 'b.jpg' }), 'Niemand erkennbar');
  const all = screen.getByRole('combobox', { name: ALL });
  expect(within(all).getByRole('option', { name: 'Unterschiedlich', selected: true })).toBeTruthy();
  await chooseFiles(run, photo('c.jpg'));
  expect(await screen.findByRole('combobox', { name: /Gilt für alle 3 Dateien$/ })).toBeTruthy();
  await click(run, 'Hochladen');
  await waitForState(() => expect(run.went).toHaveLength(1));
  expect(listRights()).toEqual(['agreed', 'nobody', 'unknown']);
});

it('Keeps the answer with the file in memory and on the device (image rights)', async () => {
  for (const call of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(call, refusal(400, 'XX000'), 99);
  const run = await open();
  await chooseFiles(run, photo('a.jpg'));
  await run.user.selectOptions(screen.getByRole('combobox', { name: 'Wer ist zu erkennen?' }), AGREED);
  await waitForState(() => expect(screen.getByRole('button', { name: KEEP })).toBeTruthy());
  await click(run, 'Hochladen');
  await waitForState(() => expect(getHeldFiles('77')).toMatchObject([{ imageRights: 'agreed' }]));
  // A screen that is left before its attempt has ended keeps the files by itself.
  await waitForState(() => expect(screen.getByRole('button', { name: KEEP })).toBeTruthy());
  run.unmount();
  const again = await open();
  await waitForState(() =>
    expect(screen.getByRole('combobox', { name: 'Wer ist zu erkennen?' })).toHaveProperty('value', 'agreed'),
  );
  await waitForState(() => expect(screen.getByRole('button', { name: KEEP })).toBeTruthy());
  await click(again, KEEP);
  await waitForState(() => expect(again.went).toHaveLength(1));
  const [entry] = await browserOutbox().store.list(DEVICE_OWNER);
  expect(entry?.parts[0]?.content).toMatchObject({ name: 'a.jpg', imageRights: 'agreed' });
});

it('Asks nothing where the operator switched it off (image rights)', async () => {
  const run = await open(false);
  await chooseFiles(run, photo('a.jpg'));
  expect(screen.queryByText(/zu erkennen/)).toBeNull();
  await click(run, 'Hochladen');
  await waitForState(() => expect(run.went).toHaveLength(1));
  expect(listRights()).toEqual([undefined]);
});
