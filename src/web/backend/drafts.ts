import { safeParse } from 'zod/mini';
import {
  DraftErrorBodySchema,
  DraftEventSchema,
  draftsPath,
  type DraftErrorCode,
  type DraftEvent,
  type DraftRequest,
} from '#contract/drafts.ts';
import type { BackendClient } from './client.ts';

/** unreachable: no answer of our own server. */
export type DraftFailure = DraftErrorCode | 'unreachable';

/**
 * Streams a draft to `onEvent` and resolves with why it ended early, if it did. Rejects only when `signal` aborts,
 * which cancels at the server too.
 */
export async function streamDraft(
  { supabase }: BackendClient,
  { contribution, request, signal }: Readonly<{ contribution: number; request: DraftRequest; signal: AbortSignal }>,
  onEvent: (event: DraftEvent) => void,
): Promise<DraftFailure | undefined> {
  const { data } = await supabase.auth.getSession();
  try {
    const response = await fetch(draftsPath(contribution), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${data.session?.access_token ?? ''}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(request),
      signal,
    });
    if (!response.ok) {
      const refusal = safeParse(DraftErrorBodySchema, await response.json());
      return refusal.success ? refusal.data.error.code : 'unreachable';
    }
    for await (const event of readEvents(response)) {
      if (event.type === 'draft.error') return event.code;
      onEvent(event);
      if (event.type === 'draft.done') return undefined;
    }
    return 'answer_incomplete';
  } catch (error) {
    if (signal.aborted) throw error;
    return 'unreachable';
  }
}

/** The events of the stream; kinds of a newer server are left out. */
async function* readEvents({ body }: Response): AsyncGenerator<DraftEvent> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let begun = '';
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return;
    const lines = (begun + decoder.decode(value, { stream: true })).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines.filter((one) => one.startsWith('data: '))) {
      const event = safeParse(DraftEventSchema, JSON.parse(line.slice('data: '.length)));
      if (event.success) yield event.data;
    }
  }
}
