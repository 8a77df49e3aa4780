import { inParallel, type Attack } from '../attack.ts';

const GUESSES = 600;

/** Each hash costs a core for a tenth of a second: without limits, logins hold everybody up. */
export const manyLogins: Attack = {
  name: 'many-logins',
  about: `${GUESSES} wrong passwords for known and unknown accounts, 50 at once`,
  arrange: () => ({
    run: async (target, tally) => {
      const headers = { ...target.guest(), 'content-type': 'application/json' };
      await inParallel(GUESSES, 50, async (index) => {
        const email = index % 3 === 0 ? 'admin@beispiel.test' : `niemand-${index}@beispiel.test`;
        const body = JSON.stringify({ email, password: `geraten-${index}` });
        const { status } = await target.call({
          method: 'POST',
          path: '/auth/v1/token?grant_type=password',
          headers,
          body,
        });
        tally.count(status);
      });
      if (tally.accepted() > 0) tally.fail('a wrong password was accepted');
    },
  }),
};
