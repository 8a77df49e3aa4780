import * as z from 'zod/mini';
import type { FlowState } from '#web/submission/flow.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());
const FlowStateSchema = z.object({
  transcript: text,
  interviewId: text,
  audioUrl: text,
  uploadSuccess: flag,
  hasImages: flag,
  files: z.optional(z.array(z.object({ path: z.string(), type: z.string() }))),
});

/** State of a history entry as a flow may rely on it: empty where there is none or it was hand-made. */
export function flowStateOf(state: unknown): FlowState {
  const parsed = FlowStateSchema.safeParse(state);
  if (!parsed.success) return {};
  return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
}
