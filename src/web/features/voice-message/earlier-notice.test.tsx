import '#tests/support/indexed-db.ts';
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AREAS, type AreaId } from '#contract/areas.ts';
import type { FlowState } from '#web/submission/flow.ts';
import { browserOutbox, ownerHere } from '#web/submission/outbox/outbox.ts';
import { submissionStore } from '#web/submission/store.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { emptyOutbox } from '#tests/support/web/fixtures.ts';
import { waitForState } from '#tests/support/web/render-flow.tsx';
import { describeEarlier, type Earlier } from './earlier-notice.tsx';
import { button, openVoiceMessage, recording, resetParts } from '#tests/support/web/fake-parts.tsx';

vi.mock('./recording/use-recorder.ts', async (original) => ({
  ...(await original<object>()),
  useRecorder: (await import('#tests/support/web/fake-parts.tsx')).useFakeRecorder,
}));

const fake = fakeBackendForEach((world) => void world.interviews.set(7, { id: 7 }));

const getStore = (id: AreaId) => submissionStore((AREAS.find((area) => area.id === id) ?? expect.fail(id)).storageKeys);

beforeEach(() => {
  resetParts();
  Object.assign(fake.backend.config, { transcription: false });
});
afterEach(async () => {
  Object.assign(fake.backend.config, { transcription: true });
  await emptyOutbox(ownerHere(fake.backend.config));
});

it.each<[Earlier['recording'], boolean, boolean, string, string, string]>([
  ['none', false, false, 'fehlt noch der Text', 'Schreib kurz auf', 'Text dazu schreiben'],
  ['none', false, true, 'fehlt noch der Text', 'Aus einer neuen Aufnahme machen wir', 'Text dazu schreiben'],
  ['none', true, false, 'schon einen Text', 'dein Text bleibt', 'Zum Transkript'],
  ['none', true, true, 'schon einen Text', 'Eine neue Aufnahme ersetzt den Text', 'Zum Transkript'],
  ['sent', false, false, 'schon bei uns', 'Eine neue Aufnahme kommt zur bisherigen dazu', 'Text dazu schreiben'],
  ['sent', false, true, 'schon bei uns', 'Aus einer neuen Aufnahme machen wir', 'Text dazu schreiben'],
  ['sent', true, false, 'schon einen Text', 'bei uns. Eine neue kommt dazu, dein Text bleibt', 'Zum Transkript'],
  ['sent', true, true, 'schon einen Text', 'Eine neue Aufnahme ersetzt den Text', 'Zum Transkript'],
  ['waiting', false, false, 'im Ausgangskorb', 'Eine neue Aufnahme ersetzt die bisherige', 'Text dazu schreiben'],
  ['waiting', false, true, 'im Ausgangskorb', 'Aus einer neuen Aufnahme machen wir', 'Text dazu schreiben'],
  ['waiting', true, false, 'schon einen Text', 'Eine neue ersetzt sie, dein Text bleibt', 'Zum Transkript'],
  ['waiting', true, true, 'schon einen Text', 'Eine neue Aufnahme ersetzt den Text', 'Zum Transkript'],
])('Recording %s, text %s, transcribed %s: %s', (recorded, hasText, transcribes, title, text, action) => {
  const shown = describeEarlier({ recording: recorded, hasText, transcribes });
  expect(shown.title).toContain(title);
  expect(shown.text).toContain(text);
  expect(shown.action).toBe(action);
});

describe('Back from the transcript (decision 0372)', () => {
  const title = (words: string) => screen.queryByText(words);

  it.each<AreaId>(['generic', 'testnormec'])('%s: says that the recording is there, and leads on', async (area) => {
    getStore(area).keepTranscript('', '7');
    getStore(area).keepRecorded('7');
    const { user, went } = await openVoiceMessage(fake, area, { interviewId: '7' });
    expect(title('Deine Aufnahme ist schon bei uns')).not.toBeNull();
    await user.click(button('Text dazu schreiben'));
    expect(went).toEqual([{ to: 'transcript-edit', state: { interviewId: '7', transcript: '' } }]);
  });

  it.each<AreaId>(['generic', 'testnormec'])('%s: leads to the text that was written', async (area) => {
    getStore(area).keepTranscript('Getippt', '7');
    const { user, went } = await openVoiceMessage(fake, area, { interviewId: '7' });
    expect(document.body.textContent).not.toContain('gespeichert');
    await user.click(button('Zum Transkript'));
    expect(went).toEqual([{ to: 'transcript-edit', state: { interviewId: '7', transcript: 'Getippt' } }]);
  });

  it('says that the recording waits in the outbox, until it was sent or removed', async () => {
    const outbox = browserOutbox();
    const of = { owner: ownerHere(fake.backend.config), area: 'generic', contentId: 'local_voice_1_a' } as const;
    await outbox.keep(of, [{ kind: 'recording', blob: recording.blob, name: 'Sprachnachricht.webm' }]);
    getStore('generic').keepTranscript('', of.contentId);
    await openVoiceMessage(fake, 'generic', { interviewId: of.contentId });
    await waitForState(() => expect(title('Deine Aufnahme liegt im Ausgangskorb')).not.toBeNull());
    const [entry] = await outbox.store.list(of.owner);
    await outbox.store.apply(entry?.id ?? '', { type: 'started', part: 'recording', revision: 1 });
    await outbox.store.apply(entry?.id ?? '', { type: 'sent', part: 'recording', revision: 1 });
    outbox.changed();
    await waitForState(() => expect(title('Deine Aufnahme ist schon bei uns')).not.toBeNull());
    await outbox.remove(entry?.id ?? '');
    await waitForState(() => expect(title('Zu deinem Beitrag fehlt noch der Text')).not.toBeNull());
  });

  it.each<[string, FlowState, () => void]>([
    ['a fresh start', {}, () => getStore('generic').keepTranscript('Hallo', '7')],
    ['a contribution that has no recording yet', { interviewId: '7' }, () => undefined],
    ['the text of another contribution', { interviewId: '7' }, () => getStore('generic').keepTranscript('Hallo', '6')],
  ])('says nothing for %s', async (_name, state, keep) => {
    keep();
    await openVoiceMessage(fake, 'generic', state);
    expect(screen.queryByRole('button', { name: /Transkript|Text dazu/ })).toBeNull();
    expect(document.body.textContent).not.toContain('Zu deinem Beitrag');
  });

  it('says nothing of a text that was removed once it was handed in (§2.11)', async () => {
    const store = getStore('testnormec');
    store.keepTranscript('Hallo', '7');
    store.keepRecorded('7');
    store.forgetTranscript('7');
    await openVoiceMessage(fake, 'testnormec', { interviewId: '7' });
    expect(screen.queryByRole('button', { name: /Transkript|Text dazu/ })).toBeNull();
  });
});
