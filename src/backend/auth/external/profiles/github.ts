import { z } from 'zod';
import { profileOf, type Profile, type ReadJson } from '../profile.ts';

const text = z
  .string()
  .min(1)
  .nullish()
  .catch(undefined)
  .transform((value) => value ?? undefined);
const User = z.object({ id: z.number().int(), login: text, name: text, avatar_url: text });
const Emails = z.array(z.object({ email: z.string().min(1), verified: z.boolean(), primary: z.boolean() }));

/** GitHub has no OpenID: the account and its addresses are two calls. */
export async function githubProfile(api: string, read: ReadJson): Promise<Profile> {
  const user = User.parse(await read(`${api}/user`));
  const emails = Emails.parse(await read(`${api}/user/emails`));
  const { id, login, name, avatar_url } = user;
  const subject = String(id);
  const data = { iss: api, name, full_name: name, preferred_username: login, user_name: login, avatar_url };
  const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  return profileOf(subject, emails, { ...present, provider_id: subject });
}
