import fc from 'fast-check';
import type { Page } from '@playwright/test';
import { asOwner } from '#tests/support/callers.ts';
import { bootServer } from '#tests/support/boot.ts';
import { startSpeechServices } from '#tests/support/speech-services.ts';
import { repetitions } from '#tests/support/thorough.ts';
import { test as base } from './broken-line.ts';
import { microphones } from './endings.ts';
import { expect, openInterview, said } from './interview.ts';

/** With a language model that never runs out of questions, each of its own. */
const test = base.extend({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
  server: async ({}, provide) => {
    const services = await startSpeechServices(200);
    services.replies.push(...Array.from({ length: 400 }, (_, nth) => [`Und was kommt als ${nth + 1}. Punkt?`]));
    const server = await bootServer({ ...services.env, LLM_URL: services.url });
    await provide(server);
    await server.stop();
    await services.stop();
  },
});

type Heard = Readonly<{ speaker: string; text: string }>;

/** Runs in the page: writes down every line that arrives, and answers each question with words of its own. */
function answerAlone(): void {
  const heard: Heard[] = [];
  Object.assign(globalThis, { heard });
  globalThis.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        const { type, agent_response_event: agent, user_transcription_event: user } = JSON.parse(String(data));
        if (type === 'agent_response') heard.push({ speaker: 'agent', text: agent.agent_response });
        if (type === 'user_transcript') heard.push({ speaker: 'user', text: user.user_transcript });
      });
    }
  };
  let answered = 0;
  let answers = 0;
  const answer = (): void => {
    const field = document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Antwort schreiben"]');
    if (field === null || heard.at(-1)?.speaker !== 'agent' || heard.length === answered) return;
    answered = heard.length;
    // Past React's own property on the element, which would not notice.
    Reflect.set(HTMLTextAreaElement.prototype, 'value', `Meine Antwort lautet ${(answers += 1)}.`, field);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.form?.requestSubmit();
  };
  new MutationObserver(answer).observe(document, { childList: true, subtree: true, characterData: true });
}

const heardBy = (page: Page): Promise<Heard[]> => page.evaluate(() => Reflect.get(globalThis, 'heard'));

/** Where in what the server sends the line breaks: in the handshake, the metadata, a question, an echo, audio. */
const CUTS = {
  typing: fc.sample(fc.integer({ min: 1, max: 2_500 }), { seed: 4, numRuns: repetitions(12, 50) }),
  voice: fc.sample(fc.integer({ min: 1, max: 40_000 }), { seed: 4, numRuns: repetitions(4, 8) }),
} as const;

for (const way of ['typing', 'voice'] as const) {
  test(`Cut at ${CUTS[way].length} random points (${way}): every line received is kept, once, and the interview goes on (§4)`, async ({
    page,
    line,
    server,
    loginAs,
  }) => {
    const user = await loginAs('vdi_admin');
    const saved: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH' && request.url().includes('/rest/v1/interviews'))
        saved.push(String(request.postDataJSON().transcript));
    });
    await page.addInitScript(answerAlone);
    await openInterview(page);
    await page
      .getByRole('button', { name: way === 'voice' ? 'Interview starten' : 'Lieber schreiben statt sprechen' })
      .click();
    await expect(said(page).filter({ hasText: 'Meine Antwort lautet 1.' })).toBeVisible();
    line.cut();
    const goOn = page.getByRole('button', { name: 'Interview fortsetzen' });
    for (const bytes of CUTS[way]) {
      await goOn.waitFor();
      expect(await microphones(page)).not.toContain('live');
      const cut = line.cutNextAfter(bytes);
      await goOn.click();
      // The button of the break before may still be there.
      await cut;
    }
    await goOn.waitFor();
    expect(await microphones(page)).not.toContain('live');

    const received = await heardBy(page);
    const texts = received.filter(({ speaker }) => speaker === 'user').map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(CUTS[way].length / 4);
    const shown = await page.evaluate(() => sessionStorage.getItem('latestTranscript') ?? '');
    for (const text of texts) expect(shown.split(`Du: ${text}`)).toHaveLength(2);
    await expect.poll(() => saved.at(-1)).toBe(shown);
    expect(saved).toEqual([...new Set(saved)]);
    // Seen at its request: the row follows, and so do the turns, which the server writes down by itself.
    const read = () => storedBy(server.databaseUrl, user.id);
    await expect.poll(async () => (await read()).transcripts).toEqual([shown]);
    const countMissing = async () => {
      const { turns } = await read();
      return received.filter(({ text }) => !turns.includes(text)).length;
    };
    await expect.poll(countMissing).toBe(0);
    const stored = await read();
    for (const text of texts) expect(stored.turns.filter((turn) => turn === text)).toEqual([text]);
    expect(new Set(stored.places).size).toBe(stored.places.length);
  });
}

type Stored = Readonly<{ transcripts: unknown[]; turns: unknown[]; places: unknown[] }>;

async function storedBy(databaseUrl: string, userId: string): Promise<Stored> {
  return asOwner(databaseUrl, async (client) => {
    const rows = await client.query('select id, transcript from public.interviews where user_id = $1', [userId]);
    const turns = await client.query(
      `select content, conversation_id || '/' || position as place from public.interview_turns
       where interview_id = any ($1) order by id`,
      [rows.rows.map((row) => row['id'])],
    );
    return {
      transcripts: rows.rows.map((row) => row['transcript']),
      turns: turns.rows.map((turn) => turn['content']),
      places: turns.rows.map((turn) => turn['place']),
    };
  });
}
