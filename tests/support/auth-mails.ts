import { expect } from 'vitest';
import type { AuthBackend, ReceivedMail } from './auth-backend.ts';

/** The newest mail to an address; a mail may still be on its way when the answer is there. */
export async function mailTo(on: AuthBackend, email: string): Promise<ReceivedMail> {
  const find = async (): Promise<ReceivedMail | undefined> => (await on.mails()).findLast(({ to }) => to === email);
  await expect.poll(find, { timeout: 5_000 }).toBeDefined();
  const mail = await find();
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
