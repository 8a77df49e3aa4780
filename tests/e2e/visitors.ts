import type { BrowserContext, Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { enterWithSession, expect, login, test as base } from './application.ts';
import { startedInterview } from './flow.ts';
import { TRANSCRIPT, type Visitor } from './screens.ts';

export type Seat = Readonly<{ page: Page; interviewId: string }>;

/** One logged-in page a visitor and worker, with a contribution of its own: a password is asked for once. */
export const test = base.extend<object, { getSeat: (visitor: Visitor) => Promise<Seat> }>({
  getSeat: [
    async ({ browser, getShared }, provide) => {
      const seats = new Map<Visitor, Promise<Seat>>();
      const contexts: BrowserContext[] = [];
      const open = async (visitor: Visitor): Promise<Seat> => {
        const server = await getShared();
        const context = await browser.newContext({
          baseURL: server.url,
          locale: 'de-DE',
          timezoneId: 'Europe/Berlin',
          permissions: ['microphone'],
          reducedMotion: 'reduce',
        });
        contexts.push(context);
        await context.addInitScript(() => {
          Reflect.deleteProperty(globalThis, 'SpeechRecognition');
          Reflect.deleteProperty(globalThis, 'webkitSpeechRecognition');
        });
        const page = await context.newPage();
        // An entry pushed before the application has opened its history loses its state.
        const shown = () => expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        if (visitor === 'not logged in') {
          await page.goto('/impressum');
          await shown();
          return { page, interviewId: '' };
        }
        const email = `anna.berger@${visitor.replaceAll(/[_ ]/g, '-')}.beispiel.test`;
        if (visitor === 'without a role') {
          await login(page, await createUser(server, { email }));
          await shown();
          return { page, interviewId: '' };
        }
        const user = await createUser(server, { email, role: visitor });
        await enterWithSession(page, server, user, '/impressum');
        await shown();
        const interviewId = await startedInterview(user);
        await user.client.from('interviews').update({ transcript: TRANSCRIPT }).eq('id', interviewId);
        return { page, interviewId };
      };
      await provide((visitor) => {
        const seat = seats.get(visitor) ?? open(visitor);
        seats.set(visitor, seat);
        return seat;
      });
      for (const context of contexts) await context.close();
    },
    { scope: 'worker' },
  ],
});
