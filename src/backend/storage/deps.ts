import type { ServiceDeps } from '../service.ts';
import type { ObjectStore } from './object-store.ts';
import type { Partials } from './resumable/partials.ts';
import type { StorageRules } from './rules.ts';

export type StorageDeps = ServiceDeps & Readonly<{ store: ObjectStore; partials: Partials; rules: StorageRules }>;
