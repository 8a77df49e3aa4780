import { hash, verify } from '@node-rs/bcrypt';
import { throughput, type Row } from './table.ts';
import type { Subject } from './subject.ts';

const COST = 10;
const LOGINS = 20;
const AT_ONCE = 4;

/** Logins a second against the password hash alone, which is what a login is meant to cost. */
export async function loginRow(subject: Subject): Promise<Row> {
  const stored = await hash(subject.account.password, { cost: COST });
  const limit = await rate(async () => void (await verify(subject.account.password, stored)));
  const ours = await rate(async () => {
    const { error } = await subject.client.auth.signInWithPassword(subject.account);
    if (error) throw error;
  });
  return throughput({ what: `login (bcrypt, cost ${COST})`, ours, limit, unit: 'logins/s', aimPercent: 50 });
}

async function rate(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  let left = LOGINS;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return LOGINS / ((performance.now() - begun) / 1000);
}
