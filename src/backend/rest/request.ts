import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Caller } from '#http/caller.ts';
import type { ProjectConfig } from '../config.ts';
import type { Database } from '../database/index.ts';
import type { CatalogCache } from './catalog/catalog-cache.ts';
import type { ConcurrencyLimit } from './concurrency.ts';
import { unknownSchema } from './errors.ts';
import type { QueryString } from './grammar/query-string.ts';
import type { Format } from './request/media.ts';
import type { Preferences } from './request/preferences.ts';

export type RestDeps = Readonly<{
  database: Database;
  catalog: CatalogCache;
  api: ProjectConfig['api'];
  limit: ConcurrencyLimit;
  log: FastifyBaseLogger;
}>;

/** A request with its parsed head. */
export type RestRequest = Readonly<{
  method: string;
  /** As the database sees it: `/interviews`, `/rpc/statistics`. */
  path: string;
  headers: Readonly<IncomingHttpHeaders>;
  caller: Caller;
  /** Address of the caller, and the network it belongs to. */
  address: string | undefined;
  network: string;
  schema: string;
  /** The answer names the schema, because several are exposed or the request names one. */
  negotiated: boolean;
  query: QueryString;
  preferences: Preferences;
  format: Format;
  body: Buffer;
  /** Calls `then` once the answer is sent or its connection has ended. */
  afterAnswer: (then: () => void) => void;
}>;

export type Answer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

/** Throws PGRST106. */
export function chooseSchema(
  profile: string | string[] | undefined,
  exposed: readonly string[],
): Pick<RestRequest, 'schema' | 'negotiated'> {
  const schema = typeof profile === 'string' ? profile : (exposed[0] ?? 'public');
  if (!exposed.includes(schema)) throw unknownSchema(schema, exposed);
  return { schema, negotiated: profile !== undefined || exposed.length > 1 };
}
