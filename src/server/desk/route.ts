import type { FastifyBaseLogger } from 'fastify';
import { createRouteKind, type Route, type RouteKind } from '#http/route.ts';
import type { Administrator } from '../administrator.ts';
import type { ModuleDeps } from '../backend-client.ts';
import type { MailSearch } from '../mail/index.ts';
import type { Closing } from '../stop.ts';
import type { Access, DownloadRequest } from './access.ts';
import type { Worker } from './erasure/worker.ts';
import { parseRequest } from './error.ts';
import type { Period } from './erasure/steps.ts';

export type DeskRoute = Route<Desk>;

// A HEAD would be written into the audit log as a download.
const SHARED = { parseBody: parseRequest, options: { exposeHeadRoute: false } } satisfies Partial<
  RouteKind<Desk, unknown, unknown, unknown>
>;

/** Requires the access token of an administrator. */
export const administratorRoute = createRouteKind<Desk, Administrator>({
  ...SHARED,
  caller: 'administrator',
  admit: async ({ context, request }, run) => run(await context.access.requireAdministrator(request), {}),
});

/** Also accepts a ticket in the address, for plain links. */
export const downloadRoute = createRouteKind<Desk, DownloadRequest>({
  ...SHARED,
  caller: 'administrator, or a ticket',
  admit: async ({ context, request }, run) => run(await context.access.authorizeDownload(request), {}),
});

export type DeskDeps = ModuleDeps &
  Closing &
  Readonly<{
    /** Never leaves the server; erasing needs it. */
    serviceKey: string | undefined;
    /** Removes unregistered objects of a bucket by their prefix. */
    removeTraces: (bucket: string, prefix: string) => Promise<void>;
    /** Removes deleted rows from the database's files; undefined for a database on another server. */
    compact: (() => Promise<void>) | undefined;
    /** Folder of the file that marks an unfinished compaction. */
    dataDir: string;
    mails: MailSearch;
    /** Retention period of contributions; undefined keeps them for ever. */
    retentionDays: number | undefined;
    log: FastifyBaseLogger;
  }>;

/** Dependencies of every route. */
export type Desk = Readonly<{
  access: Access;
  /** The backend's address. */
  backend: () => string;
  mails: MailSearch;
  period: Period | undefined;
  /** Undefined without a service key. */
  worker: Worker | undefined;
}>;
