import { setTimeout as wait } from 'node:timers/promises';
import { mailsIn } from '#tests/support/outbox.ts';
import { inParallel, type Attack } from '../attack.ts';

const STRANGERS = 60;
const PATIENCE_MS = 10_000;
const ADMIN = 'admin@beispiel.test';

/** Mails that are never sent must not use up those of people who forgot their password. */
export const recoveryBudget: Attack = {
  name: 'recovery-budget',
  about: `${STRANGERS} resends and recoveries for unknown addresses, then one of a real account`,
  arrange: () => ({
    env: { AUTH_RATE_LIMIT: '100000' },
    run: async (target, tally) => {
      const headers = { ...target.guest(), 'content-type': 'application/json' };
      const post = (path: string, body: object, from?: string) =>
        target.call({
          method: 'POST',
          path,
          headers,
          body: JSON.stringify(body),
          ...(from === undefined ? {} : { from }),
        });
      await inParallel(STRANGERS, 6, async (index) => {
        const email = `niemand-${index}@beispiel.test`;
        const isResend = index % 2 === 0;
        const answer = isResend
          ? await post('/auth/v1/resend', { type: 'signup', email })
          : await post('/auth/v1/recover', { email });
        tally.count(answer.status);
      });
      const before = (await mailsIn(target.dataDir)).length;
      const real = await post('/auth/v1/recover', { email: ADMIN }, '127.0.0.1');
      const end = performance.now() + PATIENCE_MS;
      while (performance.now() < end && (await mailsIn(target.dataDir)).length === before) await wait(100);
      const arrived = (await mailsIn(target.dataDir)).slice(before).some(({ to }) => to.includes(ADMIN));
      if (!arrived) tally.fail(`the real account got no mail (answered ${real.status})`);
    },
  }),
};
