import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { REVIEW_SPOKEN_MAX_BYTES } from '#contract/review.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner, newKey } from '#tests/support/callers.ts';
import { must } from '#tests/support/desk-calls.ts';
import { contribute } from '#tests/support/desk.ts';
import { addPost, sendForReview } from '#tests/support/posts.ts';
import { fixture, postRecording, recordingForm } from '#tests/support/speech-app.ts';
import {
  SPOKEN_TEXT,
  startTranscriptionService,
  type TranscriptionService,
} from '#tests/support/transcription-service.ts';

/** What the bearer of a review key may have transcribed. */
let service: TranscriptionService;
let server: TestServer;
let admin: TestUser;
let wav: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  service = await startTranscriptionService();
  server = await bootServer({ TRANSCRIPTION_URL: service.url, TRANSCRIPTION_KEY: 'server-key' });
  admin = await createUser(server, { role: 'admin' });
  wav = await fixture('sprache.wav');
});
afterAll(async () => {
  await server.stop();
  await service.stop();
});
beforeEach(() => service.reset());

async function openReview(): Promise<Readonly<{ contribution: number; key: string }>> {
  const contribution = await contribute(server, { transcript: 'Du: Die Pumpe läuft.' });
  const { key } = await sendForReview(server, admin.client, contribution, [
    await addPost(admin.client, contribution, 'Die Pumpe läuft.'),
  ]);
  return { contribution, key };
}

const speak = (key: string, sound = wav) =>
  postRecording(server.url, recordingForm(sound), key === '' ? {} : { 'x-review-key': key });

test('Transcribes for the bearer of a review key, and counts that as no look at the review (0264)', async () => {
  const { contribution, key } = await openReview();
  const answer = await speak(key);
  expect([answer.status, await answer.json()]).toEqual([200, { text: SPOKEN_TEXT }]);
  const opened = 'select first_opened_at from private.review_links where interview_id = $1';
  const { rows } = await asOwner(server.databaseUrl, (client) => client.query(opened, [contribution]));
  expect(rows).toEqual([{ first_opened_at: null }]);
});

test('Refuses unknown, malformed, expired, revoked and erased review keys alike (0264)', async () => {
  const [expired, revoked, erased] = [await openReview(), await openReview(), await openReview()];
  await asOwner(server.databaseUrl, async (client) => {
    await client.query('update private.review_links set expires_at = now() where interview_id = $1', [
      expired.contribution,
    ]);
    await client.query('delete from interviews where id = $1', [erased.contribution]);
  });
  await must(admin.client.rpc('desk_review_revoke', { contribution: revoked.contribution }));
  const seen: unknown[] = [];
  for (const key of ['', newKey(), 'kurz', expired.key, revoked.key, erased.key]) {
    const answer = await speak(key);
    const { error } = (await answer.json()) as { error: object };
    seen.push([answer.status, answer.headers.get('content-type'), { ...error, requestId: undefined }]);
  }
  expect(seen[0]).toMatchObject([401, expect.anything(), { code: 'not_authenticated' }]);
  for (const other of seen) expect(other).toEqual(seen[0]);
  expect(service.calls()).toEqual([]);
});

test('Takes what two minutes need from a reviewer, and ten recordings a minute (0264)', async () => {
  const { key } = await openReview();
  const tooLong = await speak(key, new Uint8Array(REVIEW_SPOKEN_MAX_BYTES + 65 * 1024));
  expect([tooLong.status, await tooLong.json()]).toMatchObject([413, { error: { code: 'file_too_large' } }]);
  // The minute of the clock may turn meanwhile: of 21, one of two minutes gets eleven at least.
  const answers = await Promise.all(Array.from({ length: 21 }, () => speak(key)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(20);
});
