import { setTimeout as wait } from 'node:timers/promises';
import { mailsIn } from '#tests/support/outbox.ts';
import type { Attack } from '../attack.ts';

const ROWS = 200;
const MOST_MAILS = 20;
const WATCHED_MS = 12_000;

/** A login is enough to hand in many complete contributions at once; each one used to be a mail to the team. */
export const bulkMails: Attack = {
  name: 'bulk-mails',
  about: `${ROWS} contributions with contact details in one request of a member`,
  arrange: () => ({
    run: async (target, tally) => {
      const rows = Array.from({ length: ROWS }, (_, n) => ({
        contact_first_name: 'Ada',
        contact_last_name: `Nummer ${n}`,
        contact_email: `ada-${n}@beispiel.test`,
      }));
      const { status } = await target.call({
        method: 'POST',
        path: '/rest/v1/interviews',
        headers: { ...target.attackingMember, 'content-type': 'application/json' },
        body: JSON.stringify(rows),
      });
      tally.count(status);
      await wait(WATCHED_MS);
      const mails = (await mailsIn(target.dataDir)).length;
      if (mails > MOST_MAILS) tally.fail(`${mails} mails to the team (at most ${MOST_MAILS})`);
    },
  }),
};
