import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetKey, isLinked, readKey } from '#web/submission/keys.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { getHeldFiles, holdParts, releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { NETWORK, refusal, storageRefusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, emptyOutbox, keptBy, loseFile, stubObjectUrls } from '#tests/support/web/fixtures.ts';
import { expectToast, type FlowRun, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { ContributorUploadScreen } from './index.tsx';
import '#tests/support/indexed-db.ts';

const KEY = 'k'.repeat(43);
const fake = fakeBackendForEach((world) => [77, 78].forEach((id) => void world.interviews.set(id, { id })));
beforeEach(stubObjectUrls);
afterEach(async () => {
  releaseAllParts();
  await emptyOutbox(DEVICE_OWNER);
  window.history.replaceState(null, '', '/');
});

async function open(fragment: string): Promise<FlowRun> {
  window.history.replaceState(null, '', `/upload${fragment}`);
  const run = renderFlow(<ContributorUploadScreen />, { backend: fake.backend });
  await waitForState(() => expect(screen.getByRole('heading', { name: 'Upload von Medien' })).toBeTruthy());
  return run;
}
const photo = (name: string) => new File([name], name, { type: 'image/jpeg', lastModified: 1 });
const click = ({ user }: FlowRun, name: string) => user.click(screen.getByRole('button', { name }));
const KEEP = 'Auf diesem Gerät sichern';
const PROBES = ['GET interviews', 'GET media_uploads', 'GET bucket'];
function noBackend(): void {
  for (const call of PROBES) fake.fail(call, refusal(400, 'XX000'), 99);
}

describe('§2.10 Ausgangskorb', () => {
  it('a link without a connection: the files are kept with the key of the link, and thank-you knows their names', async () => {
    noBackend();
    const run = await open(`#i=77&k=${KEY}`);
    await chooseFiles(run, photo('a.jpg'), photo('b.jpg'));
    await waitForState(() => expect(screen.getByRole('button', { name: KEEP })).toBeTruthy());
    await click(run, KEEP);
    await expectToast({ title: 'Dateien gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '77', parts: ['a.jpg', 'b.jpg'] }]);
    const [entry] = await browserOutbox().store.list(DEVICE_OWNER);
    expect(entry).toMatchObject({ key: KEY, row: { status: 'known', id: 77 } });
    expect(run.went).toEqual([
      {
        to: 'thank-you',
        state: {
          interviewId: '77',
          uploadSuccess: false,
          files: [
            { path: 'a.jpg', type: 'image/jpeg' },
            { path: 'b.jpg', type: 'image/jpeg' },
          ],
        },
      },
    ]);
  });

  it('without link and login: a local id, to which the later choice brings the files held in memory', async () => {
    noBackend();
    const run = await open('');
    await chooseFiles(run, photo('a.jpg'));
    await click(run, 'Hochladen');
    await waitForState(() => expect(run.went).toHaveLength(1));
    const id = sessionStorage.getItem('currentInterviewId') ?? '';
    expect(getHeldFiles(id).map(({ file }) => file.name)).toEqual(['a.jpg']);
    run.unmount();
    const again = await open('');
    await waitForState(() => expect(screen.getByText('a.jpg')).toBeTruthy());
    await waitForState(() => expect(screen.getByRole('button', { name: KEEP })).toBeTruthy());
    await click(again, KEEP);
    await expectToast({ title: 'Dateien gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: id, parts: ['a.jpg'] }]);
    expect(getHeldFiles(id)).toEqual([]);
  });

  it('a contribution of the outbox for which this device has no more room is sent at once', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const answers = { who: '', what: '', when: '', where: '', why: '' };
    const of = { owner: DEVICE_OWNER, area: 'generic', contentId: '77' } as const;
    await browserOutbox().keep(of, [{ kind: 'answers', answers }]);
    const run = await open(`#i=77&k=${KEY}`);
    await chooseFiles(run, photo('a.jpg'));
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    await click(run, 'Hochladen');
    await waitForState(() =>
      expect(run.went).toMatchObject([{ to: 'thank-you', state: { interviewId: '77', uploadSuccess: true } }]),
    );
    expect(fake.media).toMatchObject([{ interview_id: 77, file_type: 'image/jpeg' }]);
  });

  it('a link opens also in a tab whose storage is full, as somebody else’s contribution', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    await open(`#i=78&k=${KEY}`);
    expect([readKey('78'), isLinked('78')]).toEqual([KEY, true]);
    forgetKey('78');
    expect([readKey('78'), isLinked('78')]).toEqual([undefined, true]);
  });

  it('what has arrived is not kept; chosen once, the next upload of this contribution goes the same way', async () => {
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'), 1, 1);
    const run = await open(`#i=77&k=${KEY}`);
    await chooseFiles(run, photo('a.jpg'), photo('b.jpg'));
    await click(run, 'Hochladen');
    await expectToast({ title: 'Storage-Hinweis' });
    await click(run, KEEP);
    await expectToast({ title: 'Dateien gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '77', parts: ['b.jpg'] }]);
    await chooseFiles(run, photo('c.jpg'));
    await click(run, 'Erneut versuchen');
    await waitForState(() => expect(run.went).toHaveLength(2));
    expect(fake.called('POST object')).toHaveLength(2);
    expect((await keptBy(DEVICE_OWNER))[0]?.parts.toSorted()).toEqual(['b.jpg', 'c.jpg']);
  });
});

it('goes on by itself as soon as the browser is online again, with what had not arrived', async () => {
  const run = await open(`#i=77&k=${KEY}`);
  await waitForState(() => expect(fake.called('GET bucket')).toHaveLength(1));
  await chooseFiles(run, photo('a.jpg'));
  window.dispatchEvent(new Event('offline'));
  await waitForState(() => expect(screen.getByText('Lokaler Modus')).toBeTruthy());
  noBackend();
  await click(run, 'Hochladen');
  await vi.waitFor(() => expect(screen.getByText(/temporär in diesem Browser/)).toBeTruthy());
  expect(run.went).toEqual([]);
  for (const call of PROBES) fake.fail(call, NETWORK, 0);
  window.dispatchEvent(new Event('online'));
  await vi.waitFor(() => expect(fake.media).toHaveLength(1));
  await waitForState(() => expect(run.went).toMatchObject([{ to: 'thank-you', state: { uploadSuccess: true } }]));
});

it('arriving after the screen was left takes away no files held for another contribution', async () => {
  const answer = Promise.withResolvers<void>();
  fake.fail('POST object', answer.promise);
  const run = await open(`#i=77&k=${KEY}`);
  await chooseFiles(run, photo('a.jpg'));
  await click(run, 'Hochladen');
  await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
  run.leave();
  holdParts('78', [{ kind: 'file', blob: photo('b.jpg'), name: 'b.jpg' }]);
  answer.resolve();
  await expectToast({ title: 'Upload erfolgreich' });
  expect(getHeldFiles('78')).toHaveLength(1);
});

it('files held for one contribution stay when those of another are held (§4)', () => {
  for (const [id, name] of [
    ['78', 'b.jpg'],
    ['79', 'c.jpg'],
  ] as const)
    holdParts(id, [{ kind: 'file', blob: photo(name), name }]);
  expect(['78', '79'].map((id) => getHeldFiles(id).map(({ file }) => file.name))).toEqual([['b.jpg'], ['c.jpg']]);
});

it('what failed and was skipped stands in the list of its contribution again, and not in that of the next', async () => {
  fake.fail('POST object', storageRefusal('403', 'AccessDenied'), 1);
  const run = await open('');
  await chooseFiles(run, photo('a.jpg'));
  await click(run, 'Hochladen');
  await expectToast({ title: 'Storage-Hinweis' });
  await click(run, 'Überspringen');
  expect(run.went).toHaveLength(1);
  run.unmount();
  const again = await open('');
  expect(screen.getByText('a.jpg')).toBeTruthy();
  await click(again, 'Überspringen');
  again.unmount();
  sessionStorage.removeItem('currentInterviewId');
  await open('');
  expect(screen.queryByText('a.jpg')).toBeNull();
});

it('what the device no longer gave and was skipped is not in the list of the next contribution (§4)', async () => {
  const run = await open('');
  await chooseFiles(run, photo('a.jpg'), loseFile(photo('b.jpg')));
  await click(run, 'Hochladen');
  await waitForState(() => expect(screen.getByText(/Wähle die Datei noch einmal aus/)).toBeTruthy());
  await click(run, 'Weiter');
  run.unmount();
  sessionStorage.removeItem('currentInterviewId');
  await open('');
  expect(screen.queryByText('b.jpg')).toBeNull();
});
