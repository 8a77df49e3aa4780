import { z } from 'zod';
import { limitBytes, readServerSentData } from '#http/limited-answer.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Env } from './env.ts';
import {
  getAuthorization,
  rejectPages,
  requestService,
  resolveEndpoint,
  type Service,
  SERVICE_LIMITS,
  ServiceError,
} from './service-request.ts';

export type ChatMessage = Readonly<{ role: 'system' | 'user' | 'assistant'; content: string }>;

export type ChatEvent =
  | Readonly<{ kind: 'text'; text: string }>
  | Readonly<{ kind: 'tool'; name: string; parameters: unknown }>
  /** The last event. cut: the limit of characters or of tokens. broken: the service named no end. */
  | Readonly<{ kind: 'end'; reason: 'complete' | 'cut' | 'broken' }>;

export type ChatLimits = Readonly<{
  /** Asked for. */
  tokens: number;
  characters: number;
  bytes: number;
  firstWordMs: number;
  /** Between two events after the first one. */
  silenceMs?: number;
  totalMs: number;
}>;

/** For replies that a person waits for in a conversation. */
export const INTERVIEW_LIMITS: ChatLimits = {
  tokens: 400,
  characters: SERVICE_LIMITS.modelCharacters,
  bytes: SERVICE_LIMITS.modelBytes,
  firstWordMs: 10_000,
  totalMs: 60_000,
};

type ChatRequest = Readonly<{
  messages: readonly ChatMessage[];
  /** None are offered where this is missing. */
  tools?: readonly unknown[];
  limits: ChatLimits;
  signal: AbortSignal;
}>;

const ChunkSchema = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
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
const ErrorChunkSchema = z.object({ error: z.union([z.string(), z.looseObject({})]) });

const NAME = 'language model';
const ARGUMENTS_MAX = 10_000;
const NAME_MAX = 100;
const SERVER_ERROR = 500;

/** The configured service; undefined without one. */
export function readLanguageModel(env: Pick<Env, 'LLM_URL' | 'LLM_KEY' | 'LLM_MODEL'>): Service | undefined {
  if (env.LLM_URL === undefined) return undefined;
  return { url: resolveEndpoint(env.LLM_URL, '/chat/completions'), key: env.LLM_KEY, model: env.LLM_MODEL };
}

/**
 * Streams OpenAI's chat completions. Throws ServiceError, AnswerTooLongError, a DOMException `TimeoutError`, or what
 * fetch throws. Text beyond the limit ends the reply without an error.
 */
export async function* chat(service: Service, request: ChatRequest): AsyncGenerator<ChatEvent> {
  const { messages, tools, limits } = request;
  const slow = startSilenceTimer(limits);
  try {
    const response = await requestService(NAME, service.url, {
      method: 'POST',
      headers: { ...getAuthorization(service.key), 'content-type': 'application/json' },
      body: JSON.stringify({ model: service.model, messages, tools, stream: true, max_tokens: limits.tokens }),
      signal: AbortSignal.any([request.signal, slow.signal, AbortSignal.timeout(limits.totalMs)]),
    });
    await rejectPages(response, NAME, /^text\/html\b/i);
    yield* readReply(response, limits, slow.extend);
  } finally {
    slow.clear();
  }
}

async function* readReply(response: Response, limits: ChatLimits, onEvent: () => void): AsyncGenerator<ChatEvent> {
  const calls: { name: string; parameters: string }[] = [];
  const dropThoughts = createThoughtFilter();
  let left = limits.characters;
  let finish: string | undefined;
  const body = limitBytes(response.body, limits.bytes);
  for await (const data of readServerSentData(body, SERVICE_LIMITS.lineCharacters)) {
    onEvent();
    const choice = readChoice(data);
    finish = choice?.finish_reason ?? finish;
    const text = choice?.delta?.content?.slice(0, left) ?? '';
    left -= text.length;
    const reply = dropThoughts(text);
    if (reply !== '') yield { kind: 'text', text: reply };
    if (left === 0) break;
    for (const { index, function: part } of choice?.delta?.tool_calls ?? []) {
      const call = (calls[index] ??= { name: '', parameters: '' });
      call.name = appendUpTo(call.name, part?.name, NAME_MAX);
      call.parameters = appendUpTo(call.parameters, part?.arguments, ARGUMENTS_MAX);
    }
  }
  for (const call of calls.filter((one) => one !== undefined)) {
    yield { kind: 'tool', name: call.name, parameters: parseJson(call.parameters) };
  }
  const cut = left === 0 || finish === 'length';
  yield { kind: 'end', reason: cut ? 'cut' : finish === undefined ? 'broken' : 'complete' };
}

/** Some services send a model's thoughts as the beginning of its reply. */
function createThoughtFilter(): (text: string) => string {
  let begun: string | undefined = '';
  return (text) => {
    if (begun === undefined) return text;
    begun = `${begun}${text}`.trimStart();
    if ('<think>'.startsWith(begun.slice(0, 7)) && !begun.includes('</think>')) return '';
    const reply = begun.replace(/^<think>[^]*?<\/think>\s*/, '');
    begun = undefined;
    return reply;
  };
}

/** Throws ServiceError where the service reports a failure within its stream. */
function readChoice(data: string): z.infer<typeof ChunkSchema>['choices'][number] | undefined {
  const content = parseJson(data);
  const chunk = ChunkSchema.safeParse(content);
  if (chunk.success) return chunk.data.choices[0];
  if (ErrorChunkSchema.safeParse(content).success) throw new ServiceError(NAME, SERVER_ERROR);
  return undefined;
}

function appendUpTo(text: string, more: string | null | undefined, max: number): string {
  return text.length < max ? (text + (more ?? '')).slice(0, max) : text;
}

function startSilenceTimer({ firstWordMs, silenceMs }: ChatLimits) {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new DOMException('language model too slow', 'TimeoutError'));
  let timer = setTimeout(abort, firstWordMs);
  const clear = (): void => clearTimeout(timer);
  const extend = (): void => {
    clear();
    if (silenceMs !== undefined) timer = setTimeout(abort, silenceMs);
  };
  return { signal: controller.signal, extend, clear };
}
