import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import { ignoreUntilAwaited } from './large-files.ts';

const MEBIBYTE = 1024 * 1024;
/** The least that S3 accepts; with at most 10,000 parts, 52 GB a file. */
const PART_BYTES = 5 * MEBIBYTE;

export type S3Target = Readonly<{ client: S3Client; Bucket: string; Key: string; ContentType: string }>;

type Part = Readonly<{ number: number; bytes: Buffer; last: boolean }>;

/**
 * Sends a small file in one request, a larger one as a multipart upload. Two buffers serve the whole upload: one is
 * filled while the other is sent. `Upload` of @aws-sdk/lib-storage allocates a buffer for each part.
 */
export async function uploadParts(target: S3Target, content: AsyncIterable<Buffer>): Promise<void> {
  const { client, Bucket, Key, ContentType } = target;
  const parts: Promise<CompletedPart>[] = [];
  let UploadId: string | undefined;
  try {
    for await (const part of splitIntoParts(content)) {
      // The part before must be sent, as its buffer is filled next.
      await parts.at(-1);
      if (part.last && part.number === 1) {
        await client.send(new PutObjectCommand({ Bucket, Key, ContentType, Body: part.bytes }));
        return;
      }
      UploadId ??= await beginUpload(target);
      if (part.bytes.length > 0) parts.push(ignoreUntilAwaited(sendPart(target, UploadId, part)));
    }
    const MultipartUpload = { Parts: await Promise.all(parts) };
    await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
  } catch (error) {
    if (UploadId !== undefined) {
      // A part that arrives after the abortion may stay in the store.
      await Promise.allSettled(parts);
      // A store that does not answer removes the parts by its own rule.
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => undefined);
    }
    throw error;
  }
}

async function beginUpload({ client, Bucket, Key, ContentType }: S3Target): Promise<string> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType }));
  if (UploadId === undefined) throw new Error('The store began no multipart upload');
  return UploadId;
}

async function sendPart({ client, Bucket, Key }: S3Target, UploadId: string, part: Part): Promise<CompletedPart> {
  const PartNumber = part.number;
  const { ETag } = await client.send(
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: part.bytes, ContentLength: part.bytes.length }),
  );
  return { ETag, PartNumber };
}

/** The bytes of a part are valid until the next but one. */
async function* splitIntoParts(content: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const held: Buffer[] = [];
  let heldBytes = 0;
  let filling: Filling | undefined;
  for await (const chunk of content) {
    heldBytes += chunk.length;
    // Most files are small and need no buffers.
    if (filling === undefined && heldBytes <= PART_BYTES) held.push(chunk);
    else {
      filling ??= startFilling();
      for (const piece of [...held.splice(0), chunk]) yield* fill(filling, piece);
    }
  }
  if (filling === undefined) yield { number: 1, bytes: Buffer.concat(held), last: true };
  else yield { number: filling.number, bytes: getCurrentBuffer(filling).subarray(0, filling.filled), last: true };
}

type Filling = { readonly buffers: readonly [Buffer, Buffer]; filled: number; number: number };

function startFilling(): Filling {
  const buffers = [Buffer.allocUnsafeSlow(PART_BYTES), Buffer.allocUnsafeSlow(PART_BYTES)] as const;
  return { buffers, filled: 0, number: 1 };
}

function getCurrentBuffer({ buffers, number }: Filling): Buffer {
  return number % 2 === 1 ? buffers[0] : buffers[1];
}

function* fill(filling: Filling, chunk: Buffer): Generator<Part> {
  for (let taken = 0; taken < chunk.length;) {
    if (filling.filled === PART_BYTES) {
      yield { number: filling.number, bytes: getCurrentBuffer(filling), last: false };
      filling.number += 1;
      filling.filled = 0;
    }
    const copied = chunk.copy(getCurrentBuffer(filling), filling.filled, taken);
    taken += copied;
    filling.filled += copied;
  }
}
