import { readFile } from 'node:fs/promises';
import { createUser } from '#tests/support/accounts.ts';
import { firefoxPath, openFirefox, type FirefoxPage } from '#tests/support/firefox.ts';
import { watchEndings, type SeenEnding } from './endings.ts';
import { logIn, press, shows } from './firefox-page.ts';
import { expect, SPOKEN, test } from './interview.ts';

/** The official client in a real Firefox: no sample-rate constraint there, so our own resampler is at work. */
const executable = firefoxPath();

/** Runs in the page: the microphone says a sentence, is silent for 3 s, and so on. Firefox's own fake one only hums. */
function speakAlways(wav: string): void {
  const open: MediaDevices['getUserMedia'] = Reflect.get(MediaDevices.prototype, 'getUserMedia');
  MediaDevices.prototype.getUserMedia = async function spoken(constraints) {
    const device = await open.call(this, constraints);
    const context = new AudioContext();
    const bytes = Uint8Array.from(atob(wav), (one) => one.charCodeAt(0));
    const sentence = await context.decodeAudioData(bytes.buffer);
    const loop = context.createBuffer(1, sentence.length + context.sampleRate * 3, context.sampleRate);
    loop.copyToChannel(sentence.getChannelData(0), 0, context.sampleRate * 3);
    const source = new AudioBufferSourceNode(context, { buffer: loop, loop: true });
    const microphone = context.createMediaStreamDestination();
    source.connect(microphone);
    source.start();
    const [track] = microphone.stream.getAudioTracks();
    const stop = track?.stop.bind(track);
    Object.assign(track ?? {}, {
      stop: () => {
        stop?.();
        for (const real of device.getTracks()) real.stop();
        void context.close();
      },
    });
    return microphone.stream;
  };
}

async function released(page: FirefoxPage, cause: string): Promise<void> {
  const endings = (): Promise<readonly SeenEnding[]> => page.run(() => Reflect.get(globalThis, 'endings'));
  await expect
    .poll(async () => (await endings()).findLast((ending) => ending.cause === cause)?.microphones)
    .toEqual(expect.arrayContaining(['ended']));
  expect((await endings()).findLast((ending) => ending.cause === cause)?.microphones).not.toContain('live');
}

if (executable === undefined) {
  process.stdout.write(
    'No Firefox with sound on this machine: the interview is not tried in one (firefox-esr and ' +
      'pulseaudio, or FIREFOX_PATH).\n',
  );
} else {
  test('In Firefox: connects, hears, is heard, is spoken over, ends from either side, lets go of the microphone (§4)', async ({
    server,
    services,
  }) => {
    const user = await createUser(server, { role: 'vdi_admin' });
    const wav = await readFile(new URL('../fixtures/voice/satz-a.wav', import.meta.url), 'base64');
    services.words.push(SPOKEN);
    services.sentenceMs = 20_000;
    const page = await openFirefox(executable);
    try {
      await page.before(watchEndings);
      await page.before(speakAlways, wav);
      await logIn(page, server.url, user);
      await page.goto(`${server.url}/interview/behind-scenes`);
      await press(page, 'Ich habe die Hinweise gelesen');
      await press(page, 'Interview starten');
      await shows(page, 'Der Interviewer spricht');
      // Spoken over: the greeting is cut to what was heard, and the sentence understood.
      await shows(page, SPOKEN);
      await shows(page, /InterviewerHallo[^]*…/);
      // The last piece may be the short rest at the end.
      expect(Math.max(...services.heard.map(({ seconds }) => seconds))).toBeGreaterThan(2);
      services.sentenceMs = 200;
      await press(page, 'Interview beenden');
      await released(page, 'click Interview beenden');
      await press(page, 'Interview wiederholen');
      await shows(page, 'Interview beenden');
      services.words.push('Ich möchte jetzt aufhören.');
      await shows(page, 'Interview wiederholen');
      await released(page, 'end_call');
    } finally {
      services.sentenceMs = 200;
      await page.close();
    }
  });
}
