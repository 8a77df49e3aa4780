import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FILE_BODY } from '#http/body-limits.ts';
import { addressOf, networkOf } from '#http/network.ts';
import { findAnyBucket } from '../buckets/bucket.ts';
import type { StorageDeps } from '../deps.ts';
import { checkKey } from '../names.ts';
import { parse } from '../parse.ts';
import { readUploadPermit } from '../signed-tokens.ts';
import { signerContext } from '../signer.ts';
import { readBody } from '../upload/body.ts';
import { lingerAfterAnswer } from '../upload/linger.ts';
import { tryWrite } from '../upload/permission.ts';
import { receive } from '../upload/receive.ts';

type Request = FastifyRequest<{ Params: { bucket: string; '*': string } }>;

const Query = z.object({ token: z.string() });

/** PUT /object/upload/sign/{bucket}/{path}?token=: the token stands for the permission asked when it was made. */
export function uploadSigned(app: FastifyInstance, deps: StorageDeps): void {
  app.put('/object/upload/sign/:bucket/*', FILE_BODY, async (request: Request, reply) => {
    lingerAfterAnswer(request, reply);
    const { token } = parse(Query, request.query, 'querystring');
    const name = checkKey(request.params['*']);
    const url = `${request.params.bucket}/${name}`;
    const { owner, upsert, signer } = await readUploadPermit(token, url, deps.keys.urlSecret);
    const bucket = await findAnyBucket(deps.database, request.params.bucket);
    const body = await readBody(request.raw);
    const network = networkOf(addressOf(request));
    const context =
      signer === undefined ? undefined : await signerContext(deps, request, signer, 'storage.object.upload_signed');
    const object = await receive(deps, { bucket, name, owner, upsert, network }, body, async (planned) => {
      if (context !== undefined) await tryWrite(deps.database, context, planned);
    });
    return { Key: url, Id: object.id };
  });
}
