import type { FastifyReply } from 'fastify';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { DeskFailure } from '../faults.ts';
import type { Worker } from './worker.ts';

const ACCEPTED = 202;

/** 200 with the receipt, or 202 where it takes longer. Throws DeskFailure: erasure_unfinished. */
export async function answerErasure(reply: FastifyReply, worker: Worker, erasure: string): Promise<ErasureAnswer> {
  const receipt = await worker.run(erasure).catch((cause: unknown) => {
    throw new DeskFailure('erasure_unfinished', { cause });
  });
  if (receipt !== undefined) return { state: 'done', receipt };
  void reply.code(ACCEPTED);
  return { state: 'running', id: erasure };
}
