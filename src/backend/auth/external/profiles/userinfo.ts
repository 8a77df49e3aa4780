import { z } from 'zod';
import { profileOfClaims, type Profile, type ReadJson } from '../profile.ts';

const Subject = z.looseObject({ sub: z.unknown().optional(), id: z.unknown().optional() });

/** Any OAuth provider that tells about the account in OpenID's words; some say `id` for `sub`. */
export async function userinfoProfile(url: string, read: ReadJson): Promise<Profile> {
  const claims = Subject.parse(await read(url));
  return profileOfClaims({ ...claims, sub: claims.sub ?? claims.id });
}
