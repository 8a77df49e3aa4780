import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseJson } from '#lib/parse-json.ts';
import { ANONYMOUS, identifyCaller, type CallerKeys } from './caller.ts';
import { getClientAddress, toNetwork } from './network.ts';

/** Lines a minute, so that a flood of refused requests does not fill the log; one line counts the others. */
export type RefusalLines = Readonly<{ network: number; all: number }>;
export const REFUSAL_LINES: RefusalLines = { network: 20, all: 300 };

const MINUTE_MS = 60_000;
const LONGEST_BODY = 8_192;
const REFUSALS = new Set([401, 403]);

const Word = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .optional()
  .catch(undefined);
/** The error bodies of all services. Storage answers 400 and names the status in the body. */
const ErrorBody = z.object({
  statusCode: z.coerce.number().optional().catch(undefined),
  code: Word,
  error_code: Word,
  error: z.union([z.object({ code: Word }).transform(({ code }) => code), Word]).catch(undefined),
});

/** Whether `logRefusals` logs answers with this status, so that the route writes no line of its own. */
export function isAccessRefusal(status: number): boolean {
  return REFUSALS.has(status);
}

type Refusal = Readonly<{ status: number; code: string | undefined }>;

/** Logs each refused request with ids, on all routes registered after this call. */
export function logRefusals(app: FastifyInstance, keys: CallerKeys, limits = REFUSAL_LINES): void {
  const refusals = new WeakMap<FastifyRequest, Refusal>();
  const lines = createLineCount(limits, (skipped) =>
    app.log.info({ skipped }, 'access refused, further lines left out'),
  );
  app.addHook('onSend', (request, reply, payload, done) => {
    const refusal = reply.statusCode < 400 ? undefined : readRefusal(reply.statusCode, payload);
    if (refusal !== undefined) refusals.set(request, refusal);
    done();
  });
  app.addHook('onResponse', async (request, reply) => {
    // Resumable uploads answer past onSend.
    const refusal = refusals.get(request) ?? readRefusal(reply.statusCode, undefined);
    if (refusal === undefined || !lines.take(toNetwork(getClientAddress(request)))) return;
    const user = await nameCaller(request, keys);
    request.log.info({ route: request.routeOptions.url, ...refusal, user }, 'access refused');
  });
  app.addHook('onClose', async () => lines.end());
}

function readRefusal(status: number, payload: unknown): Refusal | undefined {
  const isShort = typeof payload === 'string' && payload.length <= LONGEST_BODY;
  const body = isShort ? ErrorBody.safeParse(parseJson(payload)).data : undefined;
  const refused = [status, body?.statusCode].find((one) => one !== undefined && REFUSALS.has(one));
  if (refused === undefined) return undefined;
  return { status: refused, code: body?.code ?? body?.error_code ?? body?.error };
}

/** The user id of a valid token; 'key' for an interview key or a service key; 'none' otherwise. */
async function nameCaller({ headers }: FastifyRequest, keys: CallerKeys): Promise<string> {
  const { role, claims } = await identifyCaller(headers, keys).catch(() => ANONYMOUS);
  const user = z.uuid().safeParse(claims['sub']);
  if (user.success) return user.data;
  return role === 'service_role' || headers['x-interview-key'] !== undefined ? 'key' : 'none';
}

/** A minute begins with its first refusal. */
function createLineCount(limits: RefusalLines, logSkipped: (skipped: number) => void) {
  const written = new Map<string, number>();
  let [all, skipped] = [0, 0];
  let minute: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearTimeout(minute);
    minute = undefined;
    if (skipped > 0) logSkipped(skipped);
    written.clear();
    [all, skipped] = [0, 0];
  };
  return {
    /** Whether one more line of this network may be written. */
    take: (network: string): boolean => {
      minute ??= setTimeout(end, MINUTE_MS).unref();
      const own = written.get(network) ?? 0;
      if (own >= limits.network || all >= limits.all) {
        skipped += 1;
        return false;
      }
      written.set(network, own + 1);
      all += 1;
      return true;
    },
    end,
  };
}
