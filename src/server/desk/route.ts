import { createRouteKind, type Route, type RouteKind } from '#http/route.ts';
import type { Administrator } from '../administrator.ts';
import type { DownloadRequest } from './access.ts';
import type { Desk } from './deps.ts';
import { parseRequest } from './error.ts';

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
