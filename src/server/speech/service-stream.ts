import { z } from 'zod';
import { AnswerTooLongError, limitBytes } from '#http/limited-answer.ts';
import { readServerSentData } from '#http/server-sent-events.ts';
import { parseJson } from '#lib/parse-json.ts';
import { SERVICE_LIMITS } from '../service-limits.ts';
import type { TranscriptionResult } from './engine.ts';
import { SpeechError } from './errors.ts';
import { readErrorMessage, toSpeechError } from './service-errors.ts';

/** OpenAI's events, vLLM's chunks, and the segments of earlier releases of speaches. */
const EventSchema = z.union([
  z
    .object({ type: z.literal('transcript.text.delta'), delta: z.string() })
    .transform(({ delta }) => ({ kind: 'delta' as const, text: delta })),
  z
    .object({ type: z.literal('transcript.text.done'), text: z.string() })
    .transform(({ text }) => ({ kind: 'done' as const, text })),
  z
    .object({ choices: z.tuple([z.object({ delta: z.object({ content: z.string().nullish() }) })]) })
    .transform(({ choices: [{ delta }] }) => ({ kind: 'piece' as const, text: delta.content ?? '' })),
  z
    .object({ type: z.undefined().optional(), text: z.string() })
    .transform(({ text }) => ({ kind: 'segment' as const, text })),
]);

/**
 * Reads a service's event stream and passes its pieces on. Throws SpeechError where the service reports an error,
 * breaks off before its last event, or streams nothing that is known.
 */
export async function readTranscript(
  body: AsyncIterable<Uint8Array>,
  key: string | undefined,
  onText: (delta: string) => void = () => undefined,
): Promise<TranscriptionResult> {
  let text = '';
  let last: z.output<typeof EventSchema> | undefined;
  const { transcriptionStreamBytes, lineCharacters } = SERVICE_LIMITS;
  try {
    for await (const data of readServerSentData(limitBytes(body, transcriptionStreamBytes), lineCharacters)) {
      const event = EventSchema.safeParse(parseJson(data)).data;
      if (event === undefined) {
        // Further kinds of events are of no use here.
        if (readErrorMessage(data) !== undefined)
          throw toSpeechError({ status: 500, body: data, retryAfter: undefined }, key);
        continue;
      }
      last = event;
      if (event.kind === 'done') break;
      const delta = event.kind === 'segment' ? separate(text, event.text) : event.text;
      text += delta;
      onText(delta);
    }
  } catch (cause) {
    if (cause instanceof AnswerTooLongError) throw new SpeechError('service_error', { serviceStatus: 200, cause });
    throw cause;
  }
  if (last === undefined || last.kind === 'delta') throw new SpeechError('service_error', { serviceStatus: 200 });
  return { text: last.kind === 'done' ? last.text : text, segments: [] };
}

function separate(before: string, segment: string): string {
  return before === '' || /^\s/.test(segment) ? segment : ` ${segment}`;
}
