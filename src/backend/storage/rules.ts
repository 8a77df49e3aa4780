import { matchesType } from './content-type.ts';

/** What the application around the backend decides about files, beside config.toml and the buckets' own limits. */
export type StorageRules = Readonly<{
  /** A signed address ends after so long at the latest, whatever its signer asks for. */
  signedUrlMaxSeconds: number;
  /** Headers that policies give rights for, in lower case. */
  policyHeaders: readonly string[];
  /** Bytes that a file of a bucket may have by its type: whole types and `image/*`. The first match counts. */
  typeLimits: readonly TypeLimit[];
}>;

export type TypeLimit = Readonly<{ bucket: string; types: readonly string[]; bytes: number }>;

export const DEFAULT_RULES: StorageRules = { signedUrlMaxSeconds: 24 * 60 * 60, policyHeaders: [], typeLimits: [] };

/** Infinity where no rule names the type. */
export function typeLimit({ typeLimits }: StorageRules, bucket: string, type: string | undefined): number {
  if (type === undefined) return Infinity;
  const rule = typeLimits.find((limit) => limit.bucket === bucket && matchesType(type, limit.types));
  return rule?.bytes ?? Infinity;
}
