import type { FastifyBaseLogger } from 'fastify';
import type { CallerKeys } from '#http/caller.ts';
import type { MailSearch } from '../mail/index.ts';
import type { Worker } from './erasure/worker.ts';
import type { Gate } from './gate.ts';
import type { Period } from './period.ts';

export type DeskDeps = Readonly<{
  keys: CallerKeys;
  /** Where the backend is; undefined: this very server. */
  backendUrl: string | undefined;
  publicKey: string;
  /** Never leaves the server. Without one nothing can be erased here. */
  serviceKey: string | undefined;
  /** What is left in the store of names in a bucket that begin so. */
  removeTraces: (bucket: string, prefix: string) => Promise<void>;
  /** Lets nothing of deleted rows stay on the disk; undefined where the disk is somebody else's. */
  compact: (() => Promise<void>) | undefined;
  /** Where it is kept in mind that this has to be done. */
  dataDir: string;
  mails: MailSearch;
  /** How long contributions are kept; undefined: for ever. */
  retentionDays: number | undefined;
  log: FastifyBaseLogger;
}>;

/** What each call needs. */
export type Desk = Readonly<{
  gate: Gate;
  /** The backend's address. */
  backend: () => string;
  mails: MailSearch;
  period: Period | undefined;
  /** Undefined where nothing can be erased. */
  worker: Worker | undefined;
}>;
