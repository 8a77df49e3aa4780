/** What is known about an arrival from another provider, and about who has an account here already. */
export type LinkingFacts = Readonly<{
  /** The user who came in through this very identity before. */
  knownUserId: string | undefined;
  /** Users who have one of the addresses that the provider vouches for, in the same linking domain. */
  sharing: readonly string[];
  /** The address the account would be made with. */
  email: Readonly<{ address: string; verified: boolean }> | undefined;
  /** Whether somebody in the same linking domain has that address. */
  taken: boolean;
}>;

/** What is to happen (supabase-contract §1.4 /callback). */
export type LinkingDecision =
  | Readonly<{ kind: 'enter'; userId: string }>
  | Readonly<{ kind: 'link'; userId: string }>
  | Readonly<{ kind: 'create'; email: string | undefined }>
  | Readonly<{ kind: 'ambiguous' }>;

/**
 * An address the provider vouches for leads to the account that has it. One that nobody vouches for never does: whoever
 * can write any address into a profile elsewhere would own any account here. Where such an address is taken, the new
 * account has none.
 */
export function decideLinking({ knownUserId, sharing, email, taken }: LinkingFacts): LinkingDecision {
  if (knownUserId !== undefined) return { kind: 'enter', userId: knownUserId };
  const users = new Set(sharing);
  const [only] = users;
  if (only === undefined) return { kind: 'create', email: taken ? undefined : email?.address };
  return users.size === 1 ? { kind: 'link', userId: only } : { kind: 'ambiguous' };
}

/** Company sign-on stands apart: its users are linked to nobody, not even by the same address. */
export function isSso(provider: string): boolean {
  return provider.startsWith('sso:');
}
