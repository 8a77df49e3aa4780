import { z } from 'zod';
import { profileOf, type Profile, type ReadJson } from '../profile.ts';

const User = z.object({
  id: z.string().min(1),
  username: z.string(),
  global_name: z.string().nullish(),
  avatar: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().nullish(),
});

export async function discordProfile(api: string, read: ReadJson): Promise<Profile> {
  const { id, username, global_name, avatar, email, verified } = User.parse(await read(`${api}/users/@me`));
  const picture = avatar ? `https://cdn.discordapp.com/avatars/${id}/${avatar}.png` : undefined;
  const emails = email ? [{ email, verified: verified === true, primary: true }] : [];
  return profileOf(id, emails, {
    iss: api,
    name: username,
    full_name: username,
    ...(picture === undefined ? {} : { picture, avatar_url: picture }),
    provider_id: id,
    custom_claims: { global_name: global_name ?? username },
  });
}
