import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ProjectConfig } from '#backend/config.ts';
import type { Backend } from '#backend/index.ts';
import type { CallerKeys } from '#http/caller.ts';
import { createInterviewKeyCheck, createReviewKeyCheck, createRoleCheck, type HasRole } from './speech/index.ts';
import { createDatabaseTurnStore, type TurnStore, type VoiceBudget } from './voice-agent/index.ts';

export type CaptchaConfig = ProjectConfig['auth']['captcha'];

/** The backend as this server's modules see it: the embedded one, or a hosted project (architecture, line 6). */
export type Platform = Readonly<{
  keys: CallerKeys;
  /** Where the browser finds the backend; undefined: at the origin under which it asked us. */
  browserUrl: string | undefined;
  browserKey: string;
  /** For work on accounts, by this server alone; undefined where the operator gave none. */
  serviceKey: string | undefined;
  status: () => Promise<{ database: boolean; storage: boolean }>;
  /** PostgreSQL's own version; undefined where a hosted project has it. */
  readDatabaseVersion: (() => Promise<string>) | undefined;
  /** Mounts the backend's own routes, where it is ours to mount. */
  mount: (app: FastifyInstance) => Promise<void>;
  /** Whether the interview key among the headers opens a contribution (D9). */
  holdsContribution: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** Whether the review key among the headers opens a review. */
  holdsReview: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** Whether a login has a role (§6) and its second factor. */
  hasRole: HasRole;
  /** Removes what the store still holds under a prefix of a bucket; does nothing for a hosted project. */
  removeTraces: (bucket: string, prefix: string) => Promise<void>;
  /** Lets nothing of deleted rows stay on the disk, where the database is this server's own. */
  compact: (() => Promise<void>) | undefined;
  /** Stores the turns of voice interviews, each with the rights of the speaker (D16). */
  turns: TurnStore;
  /** Where the servers of an installation count minutes and conversations together; undefined: each for itself. */
  voiceBudget: VoiceBudget | undefined;
  /** What the project's configuration says of captchas. */
  captcha: CaptchaConfig;
  /** Whether the project's configuration asks for the present password before a new one. */
  currentPassword: boolean;
}>;

export function embeddedPlatform(backend: Backend): Platform {
  return {
    keys: backend.keys,
    browserUrl: undefined,
    browserKey: backend.keys.publishableKey,
    serviceKey: backend.keys.secretKey,
    status: backend.status,
    readDatabaseVersion: async () => {
      const { rows } = await backend.database.asOwner((tx) =>
        tx.query<{ version: string }>(`select current_setting('server_version') as version`),
      );
      return rows[0]?.version ?? '';
    },
    mount: backend.mount,
    holdsContribution: createInterviewKeyCheck(backend.database),
    holdsReview: createReviewKeyCheck(backend.database),
    hasRole: createRoleCheck(backend.database),
    removeTraces: backend.removeTraces,
    compact: backend.compact,
    turns: createDatabaseTurnStore(backend.database),
    voiceBudget: { database: backend.database, secret: backend.keys.secretKey },
    captcha: backend.config.auth.captcha,
    currentPassword: backend.config.auth.security.update_password_require_current_password,
  };
}
