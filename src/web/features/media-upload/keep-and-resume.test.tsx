import { screen } from '@testing-library/react';
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { getHeldParts, releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { NETWORK, refusal, SILENCE, storageRefusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, emptyOutbox, keptBy, stubObjectUrls } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForRetry,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import type { DescriptionInterview } from './describe-stage.tsx';
import { ImageUploadScreen } from './index.tsx';
import '#tests/support/indexed-db.ts';

const fake = fakeBackendForEach();
beforeEach(() => {
  freezeTime();
  stubObjectUrls();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(async () => {
  releaseAllParts();
  await emptyOutbox(DEVICE_OWNER);
});

const PROBES = ['GET interviews', 'GET media_uploads', 'GET bucket'];
const noBackend = () => PROBES.forEach((call) => fake.fail(call, refusal(400, 'XX000'), 99));
const backAgain = () => PROBES.forEach((call) => fake.fail(call, NETWORK, 0));
const open = (interview?: DescriptionInterview) =>
  renderFlow(<ImageUploadScreen {...(interview === undefined ? {} : { interview })} />, { backend: fake.backend });
const click = ({ user }: FlowRun, name: string | RegExp) => user.click(screen.getByRole('button', { name }));
const heading = () => screen.getByRole('heading', { level: 1 }).textContent;

async function described(name = 'Halle.jpg'): Promise<FlowRun> {
  const run = open();
  await chooseFiles(run, new File(['bild'], name, { type: 'image/jpeg', lastModified: 1 }));
  await toQuestions(run);
  for (const question of ['Wer?', 'Was?', 'Wann?', 'Wo?', 'Warum?'])
    await run.user.type(screen.getByLabelText(question), 'ja');
  return run;
}
async function toQuestions(run: FlowRun): Promise<void> {
  await click(run, 'Weiter');
  await click(run, /Textformular/);
}
const offered = () =>
  waitForState(() => expect(screen.getByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeTruthy());

/** A probe has to answer before the clock that follows it is set. */
async function passUntil(reached: () => boolean): Promise<void> {
  for (let round = 0; round < 500 && !reached(); round += 1) await pass(10);
}

describe('§4 Ausgangskorb', () => {
  it('without a backend: answers and file are kept under a local id, then thank-you', async () => {
    noBackend();
    const run = await described();
    await offered();
    await click(run, 'Auf diesem Gerät sichern');
    await expectToast({ title: 'Beitrag gesichert' });
    await pass(1000);
    const [kept] = await keptBy(DEVICE_OWNER);
    expect(kept).toMatchObject({ contentId: expect.stringMatching(/^local_\d+_/), parts: ['answers', 'Halle.jpg'] });
    expect(run.went).toMatchObject([
      { to: 'thank-you', state: { interviewId: kept?.contentId, uploadSuccess: false } },
    ]);
  });

  it('incomplete answers are asked for first', async () => {
    noBackend();
    const run = await described();
    await run.user.clear(screen.getByLabelText('Wo?'));
    await offered();
    await click(run, 'Auf diesem Gerät sichern');
    await expectToast({ title: 'Unvollständige Beschreibung' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([]);
  });

  it('a spoken description is kept as a transcript', async () => {
    noBackend();
    const run = open(({ onCompleted }) => <button onClick={() => onCompleted('Du: Die neue Halle')}>reden</button>);
    await chooseFiles(run, new File(['bild'], 'Halle.jpg', { type: 'image/jpeg' }));
    await click(run, 'Weiter');
    await click(run, /Sprachinterview/);
    await click(run, 'reden');
    await offered();
    await click(run, 'Auf diesem Gerät sichern');
    await expectToast({ title: 'Beitrag gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toMatchObject([
      { contentId: expect.stringMatching(/^local_image_interview_/), parts: ['transcript', 'Halle.jpg'] },
    ]);
  });

  it('words that came with the end of the interview are sent with this picture, not kept for the next', async () => {
    function Interview({ transcript, onCompleted }: ComponentProps<DescriptionInterview>): ReactNode {
      const latest = useRef(onCompleted);
      useEffect(() => {
        latest.current = onCompleted;
      });
      const repeats = transcript !== '';
      useEffect(() => () => (repeats ? latest.current('Du: Der neue Kran') : undefined), [repeats]);
      return <button onClick={() => onCompleted('Du: Die Halle')}>reden</button>;
    }
    const run = open(Interview);
    await chooseFiles(run, new File(['bild'], 'Halle.jpg', { type: 'image/jpeg' }));
    await click(run, 'Weiter');
    await click(run, /Sprachinterview/);
    await click(run, 'reden');
    await click(run, 'Absenden');
    await waitForState(() => expect(fake.media).toHaveLength(1));
    await expectToast({ title: 'Upload erfolgreich' });
    expect(Array.from(fake.interviews.values(), (row) => row['transcript'])).toEqual(['Du: Der neue Kran']);
    expect(Object.keys(sessionStorage).filter((key) => key.startsWith('media_draft'))).toEqual([]);
  });

  it('an upload that failed is kept under the id it has, nothing twice', async () => {
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'));
    const run = await described();
    expect(screen.queryByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeNull();
    await click(run, 'Absenden');
    await expectToast({ title: 'Storage-Hinweis' });
    await click(run, 'Auf diesem Gerät sichern');
    await expectToast({ title: 'Beitrag gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '4711', parts: ['answers', 'Halle.jpg'] }]);
  });

  it('without the choice nothing is kept; what was handed in waits in memory for a later one', async () => {
    noBackend();
    const run = await described();
    await click(run, 'Absenden');
    await pass(500);
    await expectToast({ title: 'Lokal gespeichert', description: 'temporär' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([]);
    await pass(1000);
    const [went] = run.went;
    const id = went !== undefined && 'state' in went ? went.state?.interviewId : undefined;
    expect(getHeldParts(id).map(({ kind }) => kind)).toEqual(['answers', 'file']);
  });
});

describe('§4 a screen that was left', () => {
  let earlierRows = 0;
  /** What the page sends is remembered for its life, so that each test has rows of other ids. */
  beforeEach(() => {
    earlierRows += 10;
    for (let id = 1; id <= earlierRows; id += 1) fake.interviews.set(id, { id });
  });
  const madeRows = () => Array.from(fake.interviews.values()).slice(earlierRows);

  it('while it sends: the next contribution has a row of its own, and keeps its file and answers', async () => {
    fake.fail('POST object', NETWORK, 1);
    const first = await described();
    await click(first, 'Absenden');
    await waitForRetry();
    first.unmount();
    const second = open();
    await click(second, 'Halle.jpg entfernen');
    second.unmount();
    (await described('Kran.jpg')).unmount();
    await pass(1000);
    await waitForState(() => expect(fake.media).toHaveLength(1));
    await pass(0);
    const again = open();
    expect(screen.getByText('Kran.jpg')).toBeTruthy();
    await toQuestions(again);
    await click(again, 'Absenden');
    await waitForState(() => expect(fake.media).toHaveLength(2));
    const answers = madeRows().map((row) => row['w_questions_answers']);
    expect(answers).toMatchObject([{ who: 'ja' }, { who: 'jaja' }]);
  });

  it('while its answers are being saved: the next contribution has a row of its own', async () => {
    const line = new AbortController();
    const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(line.signal);
    fake.fail('PATCH interviews', SILENCE, 1);
    const first = await described();
    await click(first, 'Absenden');
    await waitForState(() => expect(fake.called('PATCH interviews')).toHaveLength(1));
    first.unmount();
    limit.mockRestore();
    const second = open();
    await click(second, 'Halle.jpg entfernen');
    second.unmount();
    await click(await described('Kran.jpg'), 'Absenden');
    await waitForState(() => expect(fake.media).toHaveLength(1));
    expect(madeRows()).toHaveLength(2);
    line.abort(new DOMException('over', 'TimeoutError'));
    await pass(0);
  });

  it('whose answers cannot be saved for want of a connection: all of it goes to the outbox (decision 0357)', async () => {
    const line = new AbortController();
    const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(line.signal);
    fake.fail('PATCH interviews', SILENCE, 1);
    const run = await described();
    await click(run, 'Absenden');
    await waitForState(() => expect(fake.called('PATCH interviews')).toHaveLength(1));
    run.leave();
    limit.mockRestore();
    line.abort(new DOMException('over', 'TimeoutError'));
    await expectToast({ title: 'Beitrag gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toMatchObject([{ parts: ['answers', 'Halle.jpg'] }]);
  });

  it('what went to the outbox unasked is not in the next contribution, also after a reload', async () => {
    fake.fail('POST object', NETWORK, 9);
    const run = await described();
    await click(run, 'Absenden');
    await waitForRetry();
    run.leave();
    for (const _ of [1, 2]) await pass(1000);
    await expectToast({ title: 'Beitrag gesichert' });
    const [kept] = await keptBy(DEVICE_OWNER);
    expect(sessionStorage.getItem('currentInterviewId:described')).toBe(kept?.contentId);
    expect(Object.keys(sessionStorage).filter((key) => key.startsWith('media_draft'))).toEqual([]);
  });

  it.each([
    ['answers that were refused', 'PATCH interviews', refusal(403, '42501'), 'Fehler'],
    ['a file that was refused', 'POST object', storageRefusal('403', 'AccessDenied'), 'Storage-Hinweis'],
  ])('after %s: the next try goes to the same row', async (_name, call, failure, title) => {
    fake.fail(call, failure);
    const first = await described();
    await click(first, 'Absenden');
    await expectToast({ title });
    first.unmount();
    const again = open();
    await toQuestions(again);
    await click(again, 'Absenden');
    await waitForState(() => expect(fake.media).toHaveLength(1));
    expect(madeRows()).toHaveLength(1);
  });
});

describe('goes on by itself when the connection is back', () => {
  /** An upload whose connection was lost. */
  async function stopped(): Promise<FlowRun> {
    fake.fail('POST object', NETWORK, 3);
    const run = await described();
    await waitForState(() => expect(fake.called('GET bucket')).toHaveLength(1));
    await click(run, 'Absenden');
    for (const attempts of [1, 2]) {
      await waitForState(() => expect(fake.called('POST object')).toHaveLength(attempts));
      noBackend();
      await waitForRetry();
      await pass(1000);
    }
    await waitForState(() => expect(screen.getByText(/Es geht von selbst weiter/)).toBeTruthy());
    await waitForState(() => expect(screen.getByText(/Gerade besteht keine Verbindung/)).toBeTruthy());
    return run;
  }
  async function reconnect(): Promise<void> {
    backAgain();
    await pass(5000);
    await waitForState(() => expect(screen.queryByText(/Gerade besteht keine Verbindung/)).toBeNull());
  }

  it('an upload that stopped, without a click and without a second row', async () => {
    await stopped();
    await reconnect();
    await passUntil(() => heading() === 'Dein Bild wird hochgeladen');
    await expectToast({ title: 'Upload erfolgreich' });
    expect([fake.interviews.size, fake.media.length, fake.objects.size]).toEqual([1, 1, 1]);
  });

  it('not what was changed since: the correction waits for its press, and is what arrives', async () => {
    const run = await stopped();
    await run.user.type(screen.getByLabelText('Wer?'), ', alle');
    await reconnect();
    await pass(60_000);
    expect(fake.called('POST object')).toHaveLength(3);
    await click(run, 'Absenden');
    await waitForState(() => expect(fake.media).toHaveLength(1));
    expect(Array.from(fake.interviews.values())).toMatchObject([{ w_questions_answers: { who: 'ja, alle' } }]);
  });

  it('not what the user stopped, and not what was refused', async () => {
    fake.fail('POST object', storageRefusal('413', 'EntityTooLarge'));
    const run = await described();
    await click(run, 'Absenden');
    await expectToast({ title: 'Upload fehlgeschlagen' });
    await pass(60_000);
    expect(fake.called('POST object')).toHaveLength(1);
  });

  it('a backend that answers and yet never takes it is not tried for ever', async () => {
    fake.fail('POST object', NETWORK, 99);
    const run = await described();
    await click(run, 'Absenden');
    for (let minute = 0; minute < 8; minute += 1) {
      for (let second = 0; second < 30; second += 1) await pass(2_000);
    }
    expect(fake.called('POST object').length).toBeLessThanOrEqual(18);
  });
});

it('A contribution whose file did not arrive goes on with the answers it has; a new one has none of them (0275)', async () => {
  const answers = { who: 'Ada', what: 'Die Pumpe', when: 'heute', where: 'Halle 3', why: 'neu' };
  fake.interviews.set(7, { id: 7, w_questions_answers: answers });
  const run = renderFlow(<ImageUploadScreen />, { backend: fake.backend, state: { interviewId: '7' } });
  await waitForState(() => expect(screen.getByText(/^Deine Angaben sind noch da/)).toBeTruthy());
  await chooseFiles(run, new File(['bild'], 'Halle.jpg', { type: 'image/jpeg', lastModified: 1 }));
  await toQuestions(run);
  expect(screen.getByLabelText('Wo?')).toHaveProperty('value', 'Halle 3');
  await click(run, 'Absenden');
  await waitForState(() => expect(fake.called('POST media_uploads')[0]?.body).toMatchObject({ interview_id: 7 }));
  run.unmount();
  open();
  expect(screen.queryByText(/^Deine Angaben sind noch da/)).toBeNull();
});

it('A film that was described in a conversation goes on with what was said, and keeps it (0275)', async () => {
  fake.interviews.set(7, { id: 7, transcript: 'Du: Eine Pumpe.' });
  const Said: DescriptionInterview = ({ transcript }) => <p>{transcript}</p>;
  const view = <ImageUploadScreen interview={Said} />;
  const run = renderFlow(view, { backend: fake.backend, state: { interviewId: '7' } });
  await waitForState(() => expect(screen.getByText(/^Deine Angaben sind noch da/)).toBeTruthy());
  await chooseFiles(run, new File(['bild'], 'Halle.jpg', { type: 'image/jpeg', lastModified: 1 }));
  await click(run, 'Weiter');
  await click(run, /Sprachinterview/);
  expect(screen.getByText('Du: Eine Pumpe.')).toBeTruthy();
  await click(run, 'Absenden');
  await waitForState(() => expect(fake.called('POST media_uploads')[0]?.body).toMatchObject({ interview_id: 7 }));
  expect(fake.interviews.get(7)).toMatchObject({ transcript: 'Du: Eine Pumpe.' });
});

describe('a contribution that goes on takes nothing of another (0275)', () => {
  const answers = { who: 'Ada', what: 'Die Pumpe', when: 'heute', where: 'Halle 3', why: 'neu' };
  const goOn = (id: number) =>
    renderFlow(<ImageUploadScreen />, { backend: fake.backend, state: { interviewId: String(id) } });
  const where = () => screen.getByLabelText('Wo?');

  it('no answers that were typed for one that is not sent yet', async () => {
    (await described()).unmount();
    fake.interviews.set(77, { id: 77, w_questions_answers: answers });
    const run = goOn(77);
    await toQuestions(run);
    await waitForState(() => expect(where()).toHaveProperty('value', 'Halle 3'));
    run.unmount();
    await toQuestions(open());
    expect(where()).toHaveProperty('value', 'ja');
  });

  it('no file that was begun for another, which goes on with its own', async () => {
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'));
    const first = await described();
    await click(first, 'Absenden');
    await expectToast({ title: 'Storage-Hinweis' });
    await first.user.type(where(), ' nein');
    first.unmount();
    const [begun] = fake.interviews.keys();
    fake.interviews.set(77, { id: 77, w_questions_answers: answers });
    const other = goOn(77);
    await waitForState(() => expect(screen.getByText(/^Deine Angaben sind noch da/)).toBeTruthy());
    expect(screen.queryByText('Halle.jpg')).toBeNull();
    other.unmount();
    const own = goOn(Number(begun));
    expect(screen.getByText('Halle.jpg')).toBeTruthy();
    await toQuestions(own);
    expect(where()).toHaveProperty('value', 'ja nein');
    await click(own, 'Absenden');
    await waitForState(() => expect(fake.media).toMatchObject([{ interview_id: begun }]));
    await expectToast({ title: 'Upload erfolgreich' });
    expect(Object.keys(sessionStorage).filter((key) => key.startsWith('media_draft'))).toEqual([]);
  });
});
