import { z } from 'zod';
import { credentials, demand } from '../embedded/services.ts';
import type { Service } from '../settings.ts';
import { parseJson } from '../wire/messages.ts';

/** OpenAI-shaped chat completions, streamed. */
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

/** Throws ServiceError, or what fetch throws; also where the first word takes longer than 10 s. */
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
      headers: { ...credentials(service.key), 'content-type': 'application/json' },
      body: JSON.stringify({ model: service.model, messages, tools, stream: true, max_tokens: 400 }),
      signal: AbortSignal.any([signal, slow.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]),
    });
    await demand(response, 'language model');
    const calls: { name: string; parameters: string }[] = [];
    for await (const data of serverSentData(response.body)) {
      clearTimeout(timer);
      const chunk = ChunkSchema.safeParse(parseJson(data));
      const delta = chunk.success ? chunk.data.choices[0]?.delta : undefined;
      if (typeof delta?.content === 'string' && delta.content !== '') yield { kind: 'text', text: delta.content };
      for (const { index, function: part } of delta?.tool_calls ?? []) {
        const call = (calls[index] ??= { name: '', parameters: '' });
        call.name += part?.name ?? '';
        call.parameters = (call.parameters + (part?.arguments ?? '')).slice(0, ARGUMENTS_MAX);
      }
    }
    for (const call of calls.filter((one) => one !== undefined)) {
      yield { kind: 'tool', name: call.name, parameters: parseJson(call.parameters) };
    }
  } finally {
    clearTimeout(timer);
  }
}

async function* serverSentData(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const data = /^data:\s?(.*)$/.exec(line)?.[1];
      if (data === '[DONE]') return;
      if (data !== undefined) yield data;
    }
  }
}
