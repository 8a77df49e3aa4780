/** The facts about a sign-in with a provider and the existing accounts. */
export type LinkingFacts = Readonly<{
  /** The user of this very identity. */
  knownUserId: string | undefined;
  /** Users with one of the verified addresses in the same linking domain. */
  sharing: readonly string[];
  /** The address of a new account. */
  email: Readonly<{ address: string; verified: boolean }> | undefined;
  /** Whether an account of the same linking domain has that address. */
  taken: boolean;
}>;

/** The account to sign in to (supabase-contract §1.4 /callback). */
export type LinkingDecision =
  | Readonly<{ kind: 'enter'; userId: string }>
  | Readonly<{ kind: 'link'; userId: string }>
  | Readonly<{ kind: 'create'; email: string | undefined }>
  | Readonly<{ kind: 'ambiguous' }>;

/**
 * An address that the provider has verified links to the account that has it. An unverified address never does: anybody
 * can write any address into a profile elsewhere. Where such an address is taken, the new account has none.
 */
export function decideLinking({ knownUserId, sharing, email, taken }: LinkingFacts): LinkingDecision {
  if (knownUserId !== undefined) return { kind: 'enter', userId: knownUserId };
  const users = new Set(sharing);
  const [only] = users;
  if (only === undefined) return { kind: 'create', email: taken ? undefined : email?.address };
  return users.size === 1 ? { kind: 'link', userId: only } : { kind: 'ambiguous' };
}

/** Company sign-on is a linking domain of its own: its users are never linked, not even by the same address. */
export function isSso(provider: string): boolean {
  return provider.startsWith('sso:');
}
