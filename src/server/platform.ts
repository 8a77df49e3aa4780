import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Backend } from '#backend/index.ts';
import type { CallerKeys } from '#http/caller.ts';
import { boundKeyCheck } from './speech/index.ts';
import { databaseTurnStore, type TurnStore } from './voice-agent/index.ts';

/** The backend as this server's rooms see it: the embedded one, or a hosted project (architecture, line 6). */
export type Platform = Readonly<{
  keys: CallerKeys;
  /** Where the browser finds the backend; undefined: at the origin under which it asked us. */
  browserUrl: string | undefined;
  browserKey: string;
  /** For work on accounts, by this server alone; undefined where the operator gave none. */
  serviceKey: string | undefined;
  status: () => Promise<{ database: boolean; storage: boolean }>;
  /** Mounts the backend's own routes, where it is ours to mount. */
  mount: (app: FastifyInstance) => Promise<void>;
  /** Whether the interview key among the headers opens a contribution (D9). */
  holdsContribution: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** Ends resumable uploads on their way to such names in a bucket; a hosted project ends them by itself within a day. */
  dropUnfinished: (bucket: string, prefix: string) => Promise<number>;
  /** Where the turns of voice interviews are kept, each in the name of whoever speaks (D16). */
  turns: TurnStore;
}>;

export function embeddedPlatform(backend: Backend): Platform {
  return {
    keys: backend.keys,
    browserUrl: undefined,
    browserKey: backend.keys.publishableKey,
    serviceKey: backend.keys.secretKey,
    status: backend.status,
    mount: backend.mount,
    holdsContribution: boundKeyCheck(backend.database),
    dropUnfinished: backend.dropUnfinished,
    turns: databaseTurnStore(backend.database),
  };
}
