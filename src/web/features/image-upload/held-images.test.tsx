import { screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { getHeldFiles, holdParts, releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { NETWORK, storageRefusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, loseFile, stubObjectUrls } from '#tests/support/web/fixtures.ts';
import { type FlowRun, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { ImageUploadAfterVoiceScreen } from './index.tsx';

const fake = fakeBackendForEach((world) => void world.interviews.set(7, { id: 7 }));
beforeEach(stubObjectUrls);
afterEach(releaseAllParts);

const open = (interviewId: string): FlowRun =>
  renderFlow(<ImageUploadAfterVoiceScreen />, { area: 'testnormec', state: { interviewId }, backend: fake.backend });
const image = (name: string) => new File([name], name, { type: 'image/jpeg', lastModified: 1 });
const listHeld = (id: string) => getHeldFiles(id).map(({ file }) => file.name);
/** Presses 'Hochladen' and leaves once the screen goes on. */
async function upload(run: FlowRun): Promise<void> {
  await run.user.click(screen.getByRole('button', { name: 'Hochladen' }));
  await waitForState(() => expect(run.went).toHaveLength(1));
  run.unmount();
}

it('images held for a local id stand in the list again, and a later upload keeps them', async () => {
  for (const look of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(look, NETWORK, 99);
  const first = open('local_voice_1_a');
  await chooseFiles(first, image('a.jpg'), image('b.jpg'));
  await upload(first);
  const second = open('local_voice_1_a');
  expect(screen.getAllByText(/^[ab]\.jpg$/)).toHaveLength(2);
  await chooseFiles(second, image('c.jpg'));
  await upload(second);
  expect(listHeld('local_voice_1_a')).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
});

it('images held for a local id are sent to the row it becomes once the backend answers (§3)', async () => {
  holdParts('local_voice_2_b', [{ kind: 'file', name: 'a.jpg', blob: image('a.jpg') }]);
  const run = open('local_voice_2_b');
  await chooseFiles(run, image('b.jpg'));
  await upload(run);
  expect(fake.media.map((row) => row['original_name'])).toEqual(['a.jpg', 'b.jpg']);
  expect(fake.media.map((row) => row['interview_id'])).not.toContain(7);
  expect(listHeld('local_voice_2_b')).toEqual([]);
});

it('an image that failed is sent again under its name, and is held no longer', async () => {
  fake.fail('POST object', storageRefusal('403', 'AccessDenied'), 1);
  const first = open('7');
  await chooseFiles(first, image('a.jpg'), image('b.jpg'));
  await upload(first);
  const [held] = getHeldFiles('7');
  expect(held?.file.name).toBe('a.jpg');
  const second = open('7');
  expect(screen.getByText('a.jpg')).toBeTruthy();
  await upload(second);
  expect(fake.media.map((row) => row['original_name'])).toEqual(['b.jpg', 'a.jpg']);
  expect(fake.media[1]?.['file_path']).toBe(held?.path);
  expect(listHeld('7')).toEqual([]);
});

it('an image that the device no longer gives is not held: the contact details would wait for it for good', async () => {
  const run = open('7');
  await chooseFiles(run, image('a.jpg'), loseFile(image('b.jpg')));
  await upload(run);
  expect(fake.media.map((row) => row['original_name'])).toEqual(['a.jpg']);
  expect(listHeld('7')).toEqual([]);
});
