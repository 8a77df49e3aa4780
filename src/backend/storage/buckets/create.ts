import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { contextOf, ownerOf, requireCaller } from '../caller.ts';
import { isDuplicate } from '../database-errors.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { checkBucketName } from '../names.ts';
import { parse } from '../parse.ts';
import { ownerColumns } from '../owner.ts';
import { BucketSettingsSchema, bucketSettings } from './settings.ts';

const Body = BucketSettingsSchema.extend({ name: z.string(), id: z.string().optional() });

const INSERT = `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, owner, owner_id)
  values ($1, $2, $3, $4, $5, $6, $7)`;

/** POST /bucket: policies on storage.buckets say who may. */
export function createBucket(app: FastifyInstance, { database, keys, config }: StorageDeps): void {
  app.post('/bucket', async (request) => {
    const caller = await requireCaller(request, keys);
    const body = parse(Body, request.body, 'body');
    const name = checkBucketName(body.name);
    const id = checkBucketName(body.id ?? name);
    const settings = bucketSettings(body, config.storage.file_size_limit);
    const owner = ownerColumns(ownerOf(caller));
    // prettier-ignore
    const values = [
      id, name, settings.public ?? false, settings.file_size_limit, settings.allowed_mime_types, owner.uuid, owner.text,
    ];
    try {
      await database.asCaller(contextOf(request, caller, 'storage.bucket.create'), (tx) => tx.query(INSERT, values));
    } catch (error) {
      throw isDuplicate(error) ? new StorageError('BucketAlreadyExists', undefined, { cause: error }) : error;
    }
    return { name };
  });
}
