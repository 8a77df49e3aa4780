import { z } from 'zod';
import { parseJson } from '#lib/parse-json.ts';
import { limitBytes } from '#http/limited-answer.ts';
import { readServerSentData } from '#http/server-sent-events.ts';
import { SERVICE_LIMITS } from '../../service-limits.ts';
import { getAuthorization, requireSuccess } from '../services.ts';
import type { Service } from '../settings.ts';

export type ChatMessage = Readonly<{ role: 'system' | 'user' | 'assistant'; content: string }>;

export type ChatEvent =
  | Readonly<{ kind: 'text'; text: string }>
  | Readonly<{ kind: 'tool'; name: string; parameters: unknown }>;

const ChunkSchema = z.object({
  choices: z.array(
    z.object({
      delta: z
        .object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                index: z.int().min(0).max(16).default(0),
                function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
              }),
            )
            .nullish(),
        })
        .nullish(),
    }),
  ),
});

const FIRST_WORD_TIMEOUT_MS = 10_000;
const TOTAL_TIMEOUT_MS = 60_000;
const ARGUMENTS_MAX = 10_000;
const NAME_MAX = 100;

/**
 * Streams OpenAI's chat completions. Throws ServiceError, or what fetch throws; also where the first word takes longer
 * than 10 s. Text beyond SERVICE_LIMITS ends the reply without an error.
 */
export async function* chat(
  service: Service,
  messages: readonly ChatMessage[],
  tools: readonly unknown[],
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const slow = new AbortController();
  const timer = setTimeout(() => slow.abort(new Error('language model too slow')), FIRST_WORD_TIMEOUT_MS);
  try {
    const response = await fetch(service.url, {
      method: 'POST',
      headers: { ...getAuthorization(service.key), 'content-type': 'application/json' },
      body: JSON.stringify({ model: service.model, messages, tools, stream: true, max_tokens: 400 }),
      signal: AbortSignal.any([signal, slow.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]),
    });
    await requireSuccess(response, 'language model');
    const calls: { name: string; parameters: string }[] = [];
    let left = SERVICE_LIMITS.modelCharacters;
    const body = limitBytes(response.body, SERVICE_LIMITS.modelBytes);
    for await (const data of readServerSentData(body, SERVICE_LIMITS.lineCharacters)) {
      clearTimeout(timer);
      const chunk = ChunkSchema.safeParse(parseJson(data));
      const delta = chunk.success ? chunk.data.choices[0]?.delta : undefined;
      const text = delta?.content?.slice(0, left) ?? '';
      left -= text.length;
      if (text !== '') yield { kind: 'text', text };
      if (left === 0) break;
      for (const { index, function: part } of delta?.tool_calls ?? []) {
        const call = (calls[index] ??= { name: '', parameters: '' });
        call.name = appendUpTo(call.name, part?.name, NAME_MAX);
        call.parameters = appendUpTo(call.parameters, part?.arguments, ARGUMENTS_MAX);
      }
    }
    for (const call of calls.filter((one) => one !== undefined)) {
      yield { kind: 'tool', name: call.name, parameters: parseJson(call.parameters) };
    }
  } finally {
    clearTimeout(timer);
  }
}

function appendUpTo(text: string, more: string | null | undefined, max: number): string {
  return text.length < max ? (text + (more ?? '')).slice(0, max) : text;
}
