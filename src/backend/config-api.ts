import { z } from 'zod';

const MEBIBYTE = 1024 * 1024;

const count = (fallback: number) => z.number().int().positive().default(fallback);

/** Keys of `[api]` that limit the cost of one request. Upstream has none of them. */
export const ApiLimits = {
  /** How deep one relation is embedded in another: `a?select=b(c(id))` is 2 deep. */
  max_embed_depth: z.number().int().min(0).default(4),
  /** Embedded relations in one request. */
  max_embeds: z.number().int().min(0).default(10),
  /** How often a relation may repeat inside itself: `a?select=b(a(id))` is once. */
  max_embed_repeats: z.number().int().min(0).default(1),
  /** Rows of one answer, embedded rows included. */
  max_answer_rows: count(50_000),
  /** Bytes of one answer. */
  max_answer_bytes: count(8 * MEBIBYTE),
  /** Rows that one insert may bring, save with the service key. */
  max_insert_rows: count(1_000),
  /** Requests of one caller (a user, or an address without one) that run at the same time. */
  max_concurrent: count(6),
  /** The same for requests whose answer may be large, that search texts or bring large bodies. */
  max_concurrent_large: count(1),
  /** Bytes of answers that clients have not read yet; while there are as many, no further request runs. */
  max_unread_bytes: count(64 * MEBIBYTE),
  /** The same for one caller. */
  max_unread_bytes_per_caller: count(16 * MEBIBYTE),
};
