import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ReviewSchema } from '#contract/posts.ts';
import { ReviewLinkRequestSchema, type ReviewPictures } from '#contract/review-routes.ts';
import { REVIEW_KEY_HEADER, REVIEW_LINK_PATH, REVIEW_PICTURES_PATH } from '#contract/review.ts';
import { getClientAddress, toNetwork } from '#http/network.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { createRateLimiter, type RateLimiter } from '#lib/rate-limiter.ts';
import { digestSecret } from '#lib/sealed.ts';
import { createApiErrors, serveModule } from '../api-errors.ts';
import { createBackendClient, getBackend, type BackendAddress, type ModuleDeps } from '../backend-client.ts';
import { openReviewPicture, parseRequest, ReviewError, sealPath, signPictures } from './pictures.ts';

export type ReviewDeps = Omit<ModuleDeps, 'keys'> &
  Readonly<{
    /** Signs pictures and asks for links; without one neither works. */
    serviceKey: string | undefined;
    /** Of one network. The database limits the links of one contribution. */
    linksPerHour: number;
    picturesPerHour: number;
  }>;

type ReviewContext = ReviewDeps &
  Readonly<{
    backend: (address?: string) => BackendAddress;
    links: RateLimiter;
    pictures: RateLimiter;
  }>;

const ACCEPTED = 202;

/** Requires a review key, which the database checks; the pictures are those it shows. */
const reviewerRoute = createRouteKind<ReviewContext, readonly string[]>({
  caller: 'review key',
  admit: async ({ context, request }, run) => run(await listPictures(context, request), {}),
});

const linkRoute = createRouteKind<ReviewContext, undefined>({
  caller: 'anyone',
  admit: ({ context, request, reply }, run) => {
    takeToken(context.links, request, reply);
    return run(undefined, {});
  },
  parseBody: parseRequest,
});

const PictureParams = z.object({ token: z.string().max(2_048) });

/** An address that POST /v1/review/pictures gave, which holds for an hour. */
const pictureRoute = createRouteKind<ReviewContext, undefined>({
  caller: 'bearer of the address',
  options: { exposeHeadRoute: false },
  // Each answer reads a whole picture and cleans it.
  admit: ({ context, request, reply }, run) => {
    takeToken(context.pictures, request, reply);
    return run(undefined, {});
  },
});

export const REVIEW_ROUTES: readonly Route<ReviewContext>[] = [
  reviewerRoute({ method: 'POST', url: REVIEW_PICTURES_PATH }, async ({ context, request }, paths) => {
    const [secret, key] = [requireServiceKey(context), readKey(request)];
    const signatures = await signPictures(openService(context), paths);
    const there = paths.filter((_path, at) => signatures[at] !== undefined);
    const pictures = there.map((path) => ({ path, url: `${REVIEW_PICTURES_PATH}/${sealPath(secret, path, key)}` }));
    return { pictures } satisfies ReviewPictures;
  }),
  pictureRoute(
    { method: 'GET', url: `${REVIEW_PICTURES_PATH}/:token`, limit: 'pictures of one address' },
    async ({ context, request, reply }) => {
      const { token } = parseRequest(PictureParams, request.params);
      const opened = await openReviewPicture(openService(context), context.backend().url, {
        secret: requireServiceKey(context),
        token,
        counts: (key) => askByKey(context, request, 'review_key_counts', key),
        reply,
      });
      return reply.headers(opened.headers).send(opened.content);
    },
  ),
  linkRoute(
    {
      method: 'POST',
      url: REVIEW_LINK_PATH,
      limit: 'links of one address',
      body: ReviewLinkRequestSchema,
      status: ACCEPTED,
    },
    async ({ context, body }) => {
      const key_hash = digestSecret(body.key).toString('hex');
      const { error } = await openService(context).rpc('review_link_request', { key_hash });
      if (error !== null) throw new ReviewError('backend_failed', { cause: error });
      return {};
    },
  ),
];

/** /v1/review: what the bearer of a review key needs besides the database. */
export function reviewRoutes(deps: ReviewDeps): FastifyPluginAsync {
  return async (app) => {
    const context: ReviewContext = {
      ...deps,
      backend: (address) => getBackend(app, deps.backendUrl, address),
      links: perHour(deps.linksPerHour),
      pictures: perHour(deps.picturesPerHour),
    };
    serveModule(app, createApiErrors('review', ReviewError), REVIEW_ROUTES, context);
  };
}

function readKey({ headers }: FastifyRequest): string {
  const key = headers[REVIEW_KEY_HEADER];
  if (typeof key !== 'string' || key === '') throw new ReviewError('not_authenticated');
  return key;
}

function requireServiceKey({ serviceKey }: ReviewContext): string {
  if (serviceKey === undefined) throw new ReviewError('not_configured');
  return serviceKey;
}

function openService(context: ReviewContext): SupabaseClient {
  return createBackendClient(context.backend(), requireServiceKey(context));
}

const askByKey = (context: ReviewContext, { ip }: FastifyRequest, name: string, key: string) =>
  createBackendClient(context.backend(ip), context.publicKey).rpc(name).setHeader(REVIEW_KEY_HEADER, key);

/** The paths of the pictures that the key shows, each once. Throws ReviewError. */
async function listPictures(context: ReviewContext, request: FastifyRequest): Promise<readonly string[]> {
  const { data, error } = await askByKey(context, request, 'review_open', readKey(request));
  if (error !== null)
    throw new ReviewError(error.code === 'PT404' ? 'review_not_found' : 'backend_failed', { cause: error });
  return [...new Set(ReviewSchema.parse(data).posts.flatMap(({ pictures }) => pictures.map(({ path }) => path)))];
}

const perHour = (tokens: number): RateLimiter =>
  createRateLimiter({ tokens, perMs: 3_600_000, burst: tokens }, Date.now);

/** Throws ReviewError rate_limited, answered with the seconds until the network may ask once more. */
function takeToken(limiter: RateLimiter, request: FastifyRequest, reply: FastifyReply): void {
  const network = toNetwork(getClientAddress(request));
  if (limiter.take(network)) return;
  void reply.header('retry-after', Math.ceil(limiter.waitMs(network) / 1_000));
  throw new ReviewError('rate_limited');
}
