import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { ProjectConfig } from './config.ts';
import type { Database } from './database/index.ts';
import type { KeyRing } from './keys.ts';

/** The dependencies that every service of the backend shares. */
export type ServiceDeps = Readonly<{
  database: Database;
  keys: KeyRing;
  config: ProjectConfig;
  log: FastifyBaseLogger;
  /** Origin under which the caller reaches us, without a slash at the end. */
  publicUrl: (request: FastifyRequest) => string;
}>;
