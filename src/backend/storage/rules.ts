/** What the application around the backend decides about files, beside config.toml and the buckets' own limits. */
export type StorageRules = Readonly<{
  /** A signed address ends after so long at the latest, whatever its signer asks for. */
  signedUrlMaxSeconds: number;
  /** Headers that policies give rights for, in lower case. */
  policyHeaders: readonly string[];
}>;

export const DEFAULT_RULES: StorageRules = { signedUrlMaxSeconds: 24 * 60 * 60, policyHeaders: [] };
