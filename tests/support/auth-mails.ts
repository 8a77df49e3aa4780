import { expect } from 'vitest';
import type { AuthBackend, ReceivedMail } from './auth-backend.ts';

/** The newest mail to an address, when at least `count` are there: a mail may still be on its way after the answer. */
export async function mailTo(on: AuthBackend, email: string, count = 1): Promise<ReceivedMail> {
  const find = async (): Promise<ReceivedMail[]> => (await on.mails()).filter(({ to }) => to === email);
  await expect.poll(async () => (await find()).length).toBeGreaterThanOrEqual(count);
  const mail = (await find()).at(-1);
  if (mail === undefined) throw new Error('no mail');
  return mail;
}

/** What a browser does with the link of a mail; `members` is the fragment it ends up with. */
export async function follow(
  on: AuthBackend,
  mail: ReceivedMail,
): Promise<{ status: number; target: URL; members: URLSearchParams }> {
  const { pathname, search } = mail.link;
  const response = await on.call('GET', pathname.replace('/auth/v1', '') + search);
  const target = new URL(response.headers.get('location') ?? 'http://missing.invalid');
  return { status: response.status, target, members: new URLSearchParams(target.hash.slice(1)) };
}
