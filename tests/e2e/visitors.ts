import type { BrowserContext, Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { expect, login, test as base } from './application.ts';
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
        await page.goto('/impressum');
        // An entry pushed before the application has opened its history loses its state.
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        if (visitor === 'not logged in') return { page, interviewId: '' };
        const user = await createUser(server, {
          ...(visitor === 'without a role' ? {} : { role: visitor }),
          email: `anna.berger@${visitor.replaceAll(/[_ ]/g, '-')}.beispiel.test`,
        });
        await login(page, user);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        const interviewId = visitor === 'without a role' ? '' : await startedInterview(user);
        if (interviewId !== '')
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
