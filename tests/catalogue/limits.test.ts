import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as limits from '#contract/limits.ts';

/** `by`: nothing of ours has to use the constant, the official client does the same by itself. */
type Effect = Readonly<{ file: string; title: string; by?: 'client' }>;

const WEB = 'src/web';
const SCREEN = `${WEB}/features`;

/** §9: the test that shows what a constant does. `later`: no test of it is named yet. */
const EFFECTS: Readonly<Record<keyof typeof limits, Effect | 'later'>> = {
  INACTIVITY_LOGOUT_MS: { file: 'src/web/app/session.test.tsx', title: '30 minutes without a sign of life' },
  INACTIVITY_CHECK_MS: { file: 'src/web/app/session.test.tsx', title: 'checked every 60 s' },
  INACTIVITY_WARNING_MS: { file: 'src/web/backend/activity.dom.test.ts', title: 'warns a minute or two before' },
  VOICE_CONNECT_TIMEOUT_MS: {
    file: `${SCREEN}/interview/conversation/interview.test.ts`,
    title: 'Still connecting after 15 s is an error',
  },
  CONNECT_PROGRESS_STEP_MS: {
    file: `${SCREEN}/interview/conversation/interview.test.ts`,
    title: 'The bar moves every 100 ms',
  },
  CONNECT_PROGRESS_CAP: {
    file: `${SCREEN}/interview/conversation/state.test.ts`,
    title: 'The progress creeps, never back, to 90 at most',
  },
  TRANSCRIPT_AUTOSAVE_MS: {
    file: `${SCREEN}/interview/interview-screen.test.tsx`,
    title: 'saves once, 1 s after the end',
  },
  RECORDING_MAX_S: {
    file: `${SCREEN}/voice-message/recording/recorder.test.ts`,
    title: 'Stops at 300 s by itself',
  },
  RECORDER_CHUNK_MS: { file: 'tests/e2e/recorder.spec.ts', title: '≤ 2 s lost' },
  RECORDING_FORMATS: {
    file: `${SCREEN}/voice-message/recording/small-parts.dom.test.ts`,
    title: 'are asked for in the order of §9',
  },
  TRANSCRIPTION_MODEL: { file: 'tests/e2e/voice-message.spec.ts', title: 'From the microphone to the provider' },
  TRANSCRIPTION_LANGUAGE: { file: 'tests/e2e/voice-message.spec.ts', title: 'From the microphone to the provider' },
  TRANSCRIPTION_TIMEOUT_MS: { file: `${SCREEN}/voice-message/transcription/transcribe.test.ts`, title: '60 s' },
  TRANSCRIPTION_AUDIO_TYPES: { file: 'tests/wire/speech-forms.test.ts', title: 'Sends %s holding %s as %s' },
  CONTRIBUTOR_FILES_MAX: 'later',
  PHOTO_EXTENSIONS: {
    file: `${SCREEN}/image-upload/image-selection-and-test-area.test.tsx`,
    title: 'drops %s (%s)',
  },
  VIDEO_EXTENSIONS: 'later',
  IMAGES_AFTER_VOICE_GENERIC_MAX: {
    file: `${SCREEN}/image-upload/image-upload-after-voice-screen.test.tsx`,
    title: 'takes one image only',
  },
  IMAGES_AFTER_VOICE_TEST_AREA_MAX: { file: 'tests/e2e/flow-input.spec.ts', title: 'ten photos and not one more' },
  UPLOAD_ATTEMPTS: { file: `${WEB}/submission/retries.test.ts`, title: 'tries 3 times, 1 s apart' },
  UPLOAD_RETRY_DELAY_MS: { file: `${WEB}/submission/retries.test.ts`, title: 'tries 3 times, 1 s apart' },
  STORAGE_CACHE_CONTROL_S: { file: `${WEB}/submission/saving.dom.test.ts`, title: 'cache control 3600' },
  REDIRECT_AFTER_IMAGES_MS: {
    file: `${SCREEN}/image-upload/image-upload-after-voice-screen.test.tsx`,
    title: 'goes to thank-you after 1 s',
  },
  REDIRECT_AFTER_CONTACT_MS: { file: `${SCREEN}/thank-you/contact-form.test.tsx`, title: '1.5 s' },
  SIMULATED_LOCAL_SAVE_MS: { file: `${WEB}/submission/saving.dom.test.ts`, title: 'Only waits 0.5 s for a local id' },
  FAKE_PROGRESS_STEP_MAX: 'later',
  FAKE_PROGRESS_STEP_MS: 'later',
  FAKE_PROGRESS_CAP: 'later',
  W_ANSWER_MIN_LENGTH_IMAGES: 'later',
  DESK_MAIL_PAUSE_S: { file: 'tests/wire/desk-mail-digest.test.ts', title: 'one for everything during the pause' },
  DESK_MAIL_LISTED_MAX: {
    file: 'tests/wire/desk-mail-digest.test.ts',
    title: 'Sends one mail about 200 contributions',
  },
  RECEIPT_MAILS_PER_DAY: { file: 'tests/wire/receipt-mails.test.ts', title: 'One address gets so many receipts a day' },
  REVIEW_REMINDER_DAYS: { file: 'tests/wire/review-mails.test.ts', title: 'A reminder brings a new link' },
  DRAFT_LIMITS: { file: 'tests/wire/drafts-failures.test.ts', title: 'An answer without end' },
  DRAFT_MATERIAL_CHARACTERS: { file: 'tests/wire/drafts-failures.test.ts', title: 'More material than the limit' },
  REVIEW_LINKS_PER_HOUR: { file: 'tests/wire/review-mails.test.ts', title: 'one network asks five times an hour' },
  REVIEW_PICTURES_PER_HOUR: {
    file: 'tests/wire/review-bad-input.test.ts',
    title: 'One network loads so many pictures an hour',
  },
  HEADERS_TIMEOUT_S: { file: 'tests/wire/connections.test.ts', title: 'Ends a connection with %s' },
  BODY_TIMEOUT_S: { file: 'tests/wire/connections.test.ts', title: 'longer than any other body may take' },
  BODY_SILENCE_S: { file: 'tests/wire/connections.test.ts', title: 'a body that stands still' },
  ANSWER_SILENCE_S: { file: 'tests/wire/unread-answers.test.ts', title: 'takes nothing of an answer' },
  SHOWN_ID_LENGTH: 'later',
  TOP_USERS: { file: 'tests/e2e/admin.spec.ts', title: 'figures, details' },
  TOAST_MS: { file: `${WEB}/ui/toast.test.tsx`, title: 'stay for 5 s' },
  TOAST_SWIPE_THRESHOLD: { file: 'tests/e2e/toasts.spec.ts', title: 'a swipe of more than 50 px closes it' },
  TOAST_HOTKEY: { file: 'tests/e2e/toasts.spec.ts', title: 'F8 goes to it' },
  // The official client fades by itself.
  INTERRUPTED_FADE_MS: { file: 'tests/e2e/interview-barge-in.spec.ts', title: 'fades out over 2 s', by: 'client' },
  ANSWER_CHARACTERS: {
    file: `${SCREEN}/media-upload/media-upload-screen.test.tsx`,
    title: 'the five together are not too long for the database',
  },
  CONTRIBUTION_LIMITS: {
    file: 'tests/wire/contributions.test.ts',
    title: 'What one contribution holds ends at its limits',
  },
  VOICE_TEXT_MAX: { file: `${SCREEN}/interview/unsent-answers.test.tsx`, title: 'no more characters than the line' },
  DEFAULT_UPLOAD_QUOTA: { file: 'tests/wire/upload-limits.test.ts', title: 'One file more than the quota' },
  DEFAULT_LIMITS: { file: 'tests/e2e/flow-input.spec.ts', title: 'each its own text' },
};

const SOURCES = globSync('src/**/*.{ts,tsx}')
  .filter((file) => !/\.test\.tsx?$|limits\.ts$/.test(file))
  .map((file) => readFileSync(file, 'utf8'))
  .filter((source) => source.includes("from '#contract/limits.ts'"));

describe('§9 every constant', () => {
  it.each(Object.entries(EFFECTS))('%s is used and has a test on its effect', (name, effect) => {
    expect(Object.keys(limits)).toContain(name);
    if (effect === 'later') return;
    const used = SOURCES.some((source) => new RegExp(`\\b${name}\\b`).test(source));
    expect(used || effect.by === 'client', 'is used').toBe(true);
    const titles = readFileSync(effect.file, 'utf8').matchAll(
      /\b(?:test|it|withApplication)(?:\.each[^]*?\))?\(\s*(['"`])((?:\\.|(?!\1)[^])*?)\1/g,
    );
    expect(
      [...titles].some((match) => match[2]?.includes(effect.title)),
      'has its test',
    ).toBe(true);
  });

  it('is in the table', () => {
    expect(
      Object.keys(limits).toSorted(),
      'src/contract/limits.ts and EFFECTS of tests/catalogue/limits.test.ts',
    ).toEqual(Object.keys(EFFECTS).toSorted());
  });
});
