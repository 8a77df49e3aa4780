import type { BackendClient } from '#web/backend/client.ts';
import type { WAnswers } from '#web/backend/interviews.ts';
import type { PartDraft } from '#web/submission/outbox/outbox.ts';
import { saveSpokenTranscript } from '#web/submission/transcripts.ts';
import { saveWAnswers } from '#web/submission/w-answers.ts';

/** §2.9: how the W-questions were answered. */
export type Description =
  | Readonly<{ type: 'text'; answers: WAnswers }>
  | Readonly<{ type: 'interview'; transcript: string }>;

/** `cause` says why. */
export class DescriptionFailed extends Error {
  constructor(cause: unknown) {
    super('the description was not saved', { cause });
  }
}

/** 'kept' for a local id: then it is in this browser only. Throws DescriptionFailed. */
export async function saveDescription(backend: BackendClient, interviewId: string, description: Description) {
  try {
    if (description.type === 'text') return await saveWAnswers(backend, interviewId, description.answers);
    return await saveSpokenTranscript(backend, interviewId, description.transcript, new Date());
  } catch (error) {
    throw new DescriptionFailed(error);
  }
}

export function partOf(description: Description): PartDraft {
  if (description.type === 'text') return { kind: 'answers', answers: description.answers };
  return { kind: 'transcript', text: description.transcript };
}
