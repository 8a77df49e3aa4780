import { INTERRUPTED_FADE_MS } from '#contract/limits.ts';
import { BANKS } from '#server/voice-agent/interviewer/banks.ts';
import { expect, openInterview, said, SPOKEN, startInterview, test } from './interview.ts';

type Happening = Readonly<{ what: 'words' | 'audio' | 'interruption' | 'fade'; text?: string; seconds?: number }>;

/** Runs in the page: what arrives, and what becomes of the sound, in its order. */
function watchSound(): void {
  const happened: Happening[] = [];
  Object.assign(globalThis, { happened });
  globalThis.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        const { type, agent_response_event: words } = JSON.parse(String(data));
        if (type === 'agent_response') happened.push({ what: 'words', text: words.agent_response });
        if (type === 'audio' || type === 'interruption') happened.push({ what: type });
      });
    }
  };
  const ramp: AudioParam['exponentialRampToValueAtTime'] = Reflect.get(
    AudioParam.prototype,
    'exponentialRampToValueAtTime',
  );
  AudioParam.prototype.exponentialRampToValueAtTime = function rampNoted(value, end) {
    const { currentTime } = Reflect.get(globalThis, 'sound');
    happened.push({ what: 'fade', seconds: end - currentTime });
    return ramp.call(this, value, end);
  };
  globalThis.AudioContext = class extends AudioContext {
    override createGain(): GainNode {
      Object.assign(globalThis, { sound: this });
      return super.createGain();
    }
  };
}

test('Barge-in: spoken over, the interviewer fades out over 2 s, and only what was heard stays in the transcript (§4)', async ({
  page,
  services,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  await page.addInitScript(watchSound);
  services.words.push(SPOKEN);
  const [question] = BANKS['behind-scenes'].questions;
  services.sentenceMs = 15_000;
  await openInterview(page);
  await startInterview(page);
  // The microphone says its sentence once in seven seconds; the greeting alone lasts half a minute.
  await expect(said(page).first()).toContainText('…');
  await expect(said(page).first()).not.toContainText(question?.text ?? '');
  await expect(said(page).filter({ hasText: SPOKEN })).toBeVisible();
  services.sentenceMs = 200;
  const happened: Happening[] = await page.evaluate(() => Reflect.get(globalThis, 'happened'));
  expect(happened.find(({ what }) => what === 'words')?.text).toContain(question?.text);
  const at = happened.findIndex(({ what }) => what === 'interruption');
  expect(happened.slice(0, at).map(({ what }) => what)).toContain('audio');
  const fade = happened[at + 1];
  expect(fade?.what).toBe('fade');
  expect(fade?.seconds).toBeCloseTo(INTERRUPTED_FADE_MS / 1000, 1);
  await page.getByRole('button', { name: 'Interview beenden' }).click();
});
