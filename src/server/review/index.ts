import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { ReviewSchema } from '#contract/posts.ts';
import { ReviewLinkRequestSchema, type ReviewPictures } from '#contract/review-routes.ts';
import { REVIEW_KEY_HEADER, REVIEW_LINK_PATH, REVIEW_PICTURES_PATH } from '#contract/review.ts';
import { useErrors } from '#http/errors.ts';
import { getClientAddress, toNetwork } from '#http/network.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { digestSecret } from '#lib/sealed.ts';
import { createApiErrors } from '../api-errors.ts';
import { createBackendClient, getBackend, type BackendAddress } from '../backend-client.ts';
import { ReviewError, parseRequest } from './error.ts';
import { createLinkLimit } from './link-limit.ts';

export type ReviewDeps = Readonly<{
  /** A hosted project's address; undefined: this server's own backend. */
  backendUrl: string | undefined;
  publicKey: string;
  /** Signs pictures and asks for links; without one neither works. */
  serviceKey: string | undefined;
  linksPerHour: number;
}>;

type ReviewContext = ReviewDeps &
  Readonly<{ backend: () => BackendAddress; mayAskForLink: (network: string) => boolean }>;

const BUCKET = 'Media';
const SIGNED_S = 3_600;
const NOT_FOUND = 'PT404';
const ACCEPTED = 202;

/** Requires a review key, which the database checks. */
const reviewerRoute = createRouteKind<ReviewContext, string>({
  caller: 'review key',
  admit: ({ request }, run) => run(readKey(request), {}),
  parseBody: parseRequest,
});

const publicRoute = createRouteKind<ReviewContext, undefined>({
  caller: 'anyone',
  admit: ({ context, request }, run) => {
    if (!context.mayAskForLink(toNetwork(getClientAddress(request)))) throw new ReviewError('rate_limited');
    return run(undefined, {});
  },
  parseBody: parseRequest,
});

export const REVIEW_ROUTES: readonly Route<ReviewContext>[] = [
  reviewerRoute({ method: 'POST', url: REVIEW_PICTURES_PATH }, async ({ context }, key): Promise<ReviewPictures> => {
    const paths = await listPictures(createBackendClient(context.backend(), context.publicKey), key);
    return { pictures: await signPictures(openService(context), paths, context.backendUrl ?? '') };
  }),
  publicRoute(
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
    useErrors(app, createApiErrors('review', ReviewError));
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    const mayAskForLink = createLinkLimit(deps.linksPerHour);
    const context = { ...deps, backend: () => getBackend(app, deps.backendUrl), mayAskForLink };
    for (const route of REVIEW_ROUTES) route.mount(app, context);
  };
}

function readKey({ headers }: FastifyRequest): string {
  const key = headers[REVIEW_KEY_HEADER];
  if (typeof key !== 'string' || key === '') throw new ReviewError('not_authenticated');
  return key;
}

function openService({ serviceKey, backend }: ReviewContext): SupabaseClient {
  if (serviceKey === undefined) throw new ReviewError('not_configured');
  return createBackendClient(backend(), serviceKey);
}

/** The paths of the pictures that the key shows, each once. */
async function listPictures(anonymous: SupabaseClient, key: string): Promise<readonly string[]> {
  const { data, error } = await anonymous.rpc('review_open').setHeader(REVIEW_KEY_HEADER, key);
  if (error !== null)
    throw new ReviewError(error.code === NOT_FOUND ? 'review_not_found' : 'backend_failed', { cause: error });
  const { posts } = ReviewSchema.parse(data);
  return [...new Set(posts.flatMap(({ pictures }) => pictures.map(({ path }) => path)))];
}

/** `base`: '' where the browser finds the backend at this server's own origin. */
async function signPictures(
  service: SupabaseClient,
  paths: readonly string[],
  base: string,
): Promise<ReviewPictures['pictures']> {
  if (paths.length === 0) return [];
  const { data, error } = await service.storage.from(BUCKET).createSignedUrls([...paths], SIGNED_S);
  if (error !== null) throw new ReviewError('backend_failed', { cause: error });
  return data.flatMap(({ signedUrl }, at) => {
    const [, token] = /[?&]token=([^?&]+)$/.exec(signedUrl ?? '') ?? [];
    const path = paths[at];
    if (token === undefined || path === undefined) return [];
    const name = path.split('/').map(encodeURIComponent).join('/');
    return [{ path, url: `${base}/storage/v1/object/sign/${BUCKET}/${name}?token=${token}` }];
  });
}
