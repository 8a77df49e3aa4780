import { z } from 'zod';
import { buildProfile, parseClaims, type Profile, type ReadJson } from './profile.ts';

const DiscordUser = z.object({
  id: z.string().min(1),
  username: z.string(),
  global_name: z.string().nullish(),
  avatar: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().nullish(),
});

export async function fetchDiscordProfile(api: string, read: ReadJson): Promise<Profile> {
  const { id, username, global_name, avatar, email, verified } = DiscordUser.parse(await read(`${api}/users/@me`));
  const picture = avatar ? `https://cdn.discordapp.com/avatars/${id}/${avatar}.png` : undefined;
  const emails = email ? [{ email, verified: verified === true, primary: true }] : [];
  return buildProfile(id, emails, {
    iss: api,
    name: username,
    full_name: username,
    ...(picture === undefined ? {} : { picture, avatar_url: picture }),
    provider_id: id,
    custom_claims: { global_name: global_name ?? username },
  });
}

const text = z
  .string()
  .min(1)
  .nullish()
  .catch(undefined)
  .transform((value) => value ?? undefined);
const GithubUser = z.object({ id: z.number().int(), login: text, name: text, avatar_url: text });
const GithubEmails = z.array(z.object({ email: z.string().min(1), verified: z.boolean(), primary: z.boolean() }));

/** GitHub has no OpenID: the account and its addresses are two requests. */
export async function fetchGithubProfile(api: string, read: ReadJson): Promise<Profile> {
  const user = GithubUser.parse(await read(`${api}/user`));
  const emails = GithubEmails.parse(await read(`${api}/user/emails`));
  const { id, login, name, avatar_url } = user;
  const subject = String(id);
  const data = { iss: api, name, full_name: name, preferred_username: login, user_name: login, avatar_url };
  const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  return buildProfile(subject, emails, { ...present, provider_id: subject });
}

const Subject = z.looseObject({ sub: z.unknown().optional(), id: z.unknown().optional() });

/** Reads the profile of an OAuth provider with OpenID claims; some use `id` for `sub`. */
export async function fetchUserinfoProfile(url: string, read: ReadJson): Promise<Profile> {
  const claims = Subject.parse(await read(url));
  return parseClaims({ ...claims, sub: claims.sub ?? claims.id });
}
