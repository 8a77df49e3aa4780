import { expect } from 'vitest';
import { ErasureAnswerSchema, ErasureListSchema, type ErasureReceipt } from '#contract/desk-files.ts';
import type { DeskAnswer, DeskCall } from './desk-calls.ts';

/** Asks for an erasure and resolves with its receipt. */
export async function eraseAs(call: DeskCall, subject: object): Promise<ErasureReceipt> {
  return receiptOf(call, await call('POST', '/v1/desk/erasures', subject));
}

/** What takes longer than an answer waits goes on by itself; its receipt is in the list then. */
export async function receiptOf(call: DeskCall, { status, body }: DeskAnswer): Promise<ErasureReceipt> {
  const parsed = ErasureAnswerSchema.parse(body);
  expect(status).toBe(parsed.state === 'done' ? 200 : 202);
  if (parsed.state === 'done') return parsed.receipt;
  const find = async (): Promise<ErasureReceipt | undefined> => {
    const { receipts } = ErasureListSchema.parse((await call('GET', '/v1/desk/erasures')).body);
    return receipts.find(({ id }) => id === parsed.id);
  };
  let receipt: ErasureReceipt | undefined;
  await expect.poll(async () => (receipt = await find())).toBeDefined();
  return receipt ?? expect.fail('no receipt');
}
