import type { ServiceDeps } from '../service.ts';
import { matchesType } from './content-type.ts';
import type { PartialUploads } from './resumable/partial-uploads.ts';
import type { ObjectStore } from './stores/object-store.ts';

export type StorageDeps = ServiceDeps & Readonly<{ store: ObjectStore; partials: PartialUploads; rules: StorageRules }>;

/** The application's limits on files, beside config.toml and the buckets' own limits. */
export type StorageRules = Readonly<{
  /** Caps the life of a signed URL. */
  signedUrlMaxSeconds: number;
  /** Headers that grant rights in policies, in lower case. */
  policyHeaders: readonly string[];
  /** Maximum bytes of a file of a bucket by its type: whole types and `image/*`. The first match counts. */
  typeLimits: readonly Readonly<{ bucket: string; types: readonly string[]; bytes: number }>[];
  /** Files whose original is replaced by a copy without place and device, that long after it came. */
  originals?: Readonly<{ bucket: string; types: readonly string[]; afterMs: number }>;
}>;

export const DEFAULT_RULES: StorageRules = { signedUrlMaxSeconds: 24 * 60 * 60, policyHeaders: [], typeLimits: [] };

/** Infinity where no rule names the type. */
export function getTypeLimit({ typeLimits }: StorageRules, bucket: string, type: string | undefined): number {
  if (type === undefined) return Infinity;
  const rule = typeLimits.find((limit) => limit.bucket === bucket && matchesType(type, limit.types));
  return rule?.bytes ?? Infinity;
}
