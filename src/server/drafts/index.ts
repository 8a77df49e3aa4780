import { PassThrough, type Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DraftRequestSchema, draftsPath, type DraftEvent } from '#contract/drafts.ts';
import { DRAFT_MATERIAL_CHARACTERS } from '#contract/limits.ts';
import { abortOnDisconnect } from '#http/disconnect.ts';
import { logError, type ErrorProtocol } from '#http/errors.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { requireAdministrator, type Administrator } from '../administrator.ts';
import { getBackendAccess, type ModuleDeps } from '../backend-client.ts';
import { createApiErrors, serveModule } from '../api-errors.ts';
import type { Service } from '../service-request.ts';
import { DraftError, parseRequest, toDraftError } from './error.ts';
import { readMaterial } from './material.ts';
import { writeDraft, type DraftJob, type DraftLimits } from './write-draft.ts';

export type { DraftLimits } from './write-draft.ts';

export type DraftDeps = ModuleDeps &
  Readonly<{
    /** Undefined: nothing is written. */
    service: Service | undefined;
    limits: DraftLimits;
  }>;

type DraftContext = Pick<DraftDeps, 'service' | 'limits'> &
  Readonly<{
    requireAdministrator: (request: FastifyRequest) => Promise<Administrator>;
    /** Takes one of the places for drafts at the same time; returns what frees it. Throws DraftError. */
    takeSlot: () => () => void;
  }>;

const Params = z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) });
const ERRORS: ErrorProtocol<DraftError> = createApiErrors('drafts', DraftError);
/** Proxies cut connections on which nothing moves. */
const ALIVE_MS = 15_000;

const administratorRoute = createRouteKind<DraftContext, Administrator>({
  caller: 'administrator',
  admit: async ({ context, request }, run) => run(await context.requireAdministrator(request), {}),
  parseBody: parseRequest,
});

export const DRAFT_ROUTES: readonly Route<DraftContext>[] = [
  administratorRoute(
    {
      method: 'POST',
      url: draftsPath(0).replace('/0/', '/:id/'),
      limit: 'drafts at the same time',
      body: DraftRequestSchema,
    },
    async ({ context, request, reply, body }, { client }) => {
      const { service, limits } = context;
      const { id } = parseRequest(Params, request.params);
      if (service === undefined) throw new DraftError('not_configured');
      const free = context.takeSlot();
      const disconnected = abortOnDisconnect(reply);
      try {
        const action = 'action' in body ? body.action : 'write';
        const sentences = await readMaterial(client, id);
        if (sentences.length === 0) throw new DraftError('no_material');
        const characters = sentences.reduce((sum, { text }) => sum + text.length, 0);
        if (characters > DRAFT_MATERIAL_CHARACTERS) throw new DraftError('material_too_long');
        const signal = AbortSignal.any([disconnected, AbortSignal.timeout(limits.totalMs)]);
        const job = { service, limits, request: body, sentences, signal };
        const facts = { contribution: id, channel: body.channel, action };
        return sendEvents(reply, streamDraft({ job, facts, request, disconnected, free }));
      } catch (error) {
        free();
        throw error;
      }
    },
  ),
];

/** POST /v1/desk/contributions/:id/drafts. */
export function draftRoutes(deps: DraftDeps): FastifyPluginAsync {
  const { service, limits } = deps;
  return async (app) => {
    const context: DraftContext = {
      service,
      limits,
      requireAdministrator: ({ headers }) => requireAdministrator(headers, getBackendAccess(app, deps)),
      takeSlot: createSlots(limits.concurrent),
    };
    serveModule(app, ERRORS, DRAFT_ROUTES, context);
  };
}

function createSlots(most: number): DraftContext['takeSlot'] {
  const taken = new Set<object>();
  return () => {
    if (taken.size >= most) throw new DraftError('busy');
    const slot = {};
    taken.add(slot);
    return () => void taken.delete(slot);
  };
}

/** Proxies such as nginx buffer small pieces unless a header forbids it. */
function sendEvents(reply: FastifyReply, body: Readable): FastifyReply {
  return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(body);
}

type DraftStream = Readonly<{
  job: Omit<DraftJob, 'send'>;
  /** For the log: only ids and codes. */
  facts: Readonly<Record<string, string | number>>;
  request: FastifyRequest;
  disconnected: AbortSignal;
  free: () => void;
}>;

function streamDraft({ job, facts, request, disconnected, free }: DraftStream): Readable {
  const body = new PassThrough();
  const write = (piece: string): void => void (body.destroyed || body.write(`${piece}\n\n`));
  const send = (event: DraftEvent): void => write(`data: ${JSON.stringify(event)}`);
  const alive = setInterval(() => write(': writing'), ALIVE_MS).unref();
  const startedAt = performance.now();
  const measure = () => ({ ...facts, ms: Math.round(performance.now() - startedAt) });
  writeDraft({ ...job, send })
    .then(
      (figures) => request.log.info({ ...measure(), ...figures }, 'draft written'),
      (thrown: unknown) => {
        if (disconnected.aborted) return request.log.info(measure(), 'draft cancelled');
        const { code } = logError(ERRORS, toDraftError(thrown), request);
        request.log.info({ ...measure(), code }, 'draft broken off');
        return send({ type: 'draft.error', code });
      },
    )
    .finally(() => {
      clearInterval(alive);
      free();
      body.end();
    });
  return body;
}
