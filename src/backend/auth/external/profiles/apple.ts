import { z } from 'zod';
import type { Profile } from '../profile.ts';

const part = z.string().max(255).default('');
const User = z.object({ name: z.object({ firstName: part, lastName: part }) });

/** Apple tells the name only at the first sign-in, beside the ID token; nobody vouches for it, and it names nobody for sure. */
export function withAppleName(profile: Profile, user: string | null): Profile {
  const name = nameIn(user ?? '');
  return name === '' ? profile : { ...profile, data: { ...profile.data, name, full_name: name } };
}

function nameIn(text: string): string {
  try {
    const { firstName, lastName } = User.parse(JSON.parse(text)).name;
    return `${firstName} ${lastName}`.trim();
  } catch {
    return '';
  }
}
