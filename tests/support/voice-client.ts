import { Conversation } from '@elevenlabs/elevenlabs-js/api/resources/conversationalAi/conversation/index.js';
import { AudioInterface } from '@elevenlabs/elevenlabs-js/api/resources/conversationalAi/conversation/AudioInterface.js';
import { ClientTools } from '@elevenlabs/elevenlabs-js/api/resources/conversationalAi/conversation/ClientTools.js';
import { WebSocket } from 'ws';
import { VoiceTicketSchema, type VoiceTicket, type VoiceTicketRequest } from '#contract/voice.ts';
import type { RunningServer } from '#server/start.ts';
import type { Account } from './callers.ts';
import { ServerMessageSchema, type OfType, type WireMessage, type WireType } from './voice-schema.ts';

type Keys = NonNullable<RunningServer['backend']>['keys'];

/** Headers of a logged-in account. */
export async function loginHeaders(
  keys: Keys,
  account: Pick<Account, 'id' | 'email'>,
): Promise<Record<string, string>> {
  const now = Math.floor(Date.now() / 1000);
  const token = await keys.sign({
    sub: account.id,
    email: account.email,
    role: 'authenticated',
    aud: 'authenticated',
    iss: keys.issuer,
    iat: now,
    exp: now + 3_600,
  });
  return { apikey: keys.publishableKey, authorization: `Bearer ${token}` };
}

export function keyHeaders(keys: Keys, key: string): Record<string, string> {
  return { apikey: keys.publishableKey, 'x-interview-key': key };
}

export function post(url: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export const REQUEST: VoiceTicketRequest = { area: 'generic', topic: 'behind-scenes' };

export async function getTicket(
  url: string,
  headers: Record<string, string>,
  body: Partial<VoiceTicketRequest> = {},
): Promise<VoiceTicket> {
  const response = await post(`${url}/v1/convai/ticket`, headers, { ...REQUEST, ...body });
  if (!response.ok) throw new Error(`ticket: ${response.status} ${await response.text()}`);
  return VoiceTicketSchema.parse(await response.json());
}

/** A microphone and a loudspeaker that keep what goes through them. */
class TestAudio extends AudioInterface {
  readonly heard: Buffer[] = [];
  interruptions = 0;
  stopped = false;
  private input: ((audio: Buffer) => void) | undefined;
  override start(input: (audio: Buffer) => void): void {
    this.input = input;
  }
  override stop(): void {
    this.stopped = true;
    this.input = undefined;
  }
  override output(audio: Buffer): void {
    this.heard.push(audio);
  }
  override interrupt(): void {
    this.interruptions += 1;
  }
  speak(pcm: Buffer): void {
    this.input?.(pcm);
  }
}

export type Talk = Readonly<{
  conversation: Conversation;
  audio: TestAudio;
  messages: WireMessage[];
  /** Resolves with the nth message of that type (the first by default), whether it came already or is to come. */
  next: <T extends WireType>(type: T, nth?: number) => Promise<OfType<T>>;
  of: <T extends WireType>(type: T) => OfType<T>[];
  closed: Promise<{ code: number; reason: string }>;
  /** Cuts the line without a word. */
  sever: () => void;
}>;

export type TalkOptions = Readonly<{
  textOnly?: boolean;
  firstMessage?: string;
  variables?: Record<string, string>;
  tools?: Record<string, (parameters: Record<string, unknown>) => Promise<string>>;
}>;

/** A conversation through the official Node client. Every message is checked against the official types as it comes. */
export async function talk(signedUrl: string, options: TalkOptions = {}): Promise<Talk> {
  const messages: WireMessage[] = [];
  const waiting: { type: WireType; nth: number; done: (message: WireMessage) => void }[] = [];
  const audio = new TestAudio();
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let line: WebSocket | undefined;
  const of = <T extends WireType>(type: T): OfType<T>[] =>
    messages.filter((message): message is OfType<T> => message.type === type);
  const tools = new ClientTools();
  for (const [name, run] of Object.entries(options.tools ?? {})) tools.register(name, run, true);
  const conversation = new Conversation({
    agentId: 'ours',
    requiresAuth: true,
    conversationClient: { conversationalAi: { conversations: { getSignedUrl: async () => ({ signedUrl }) } } },
    webSocketFactory: {
      create: (url: string, settings: object) => (line = new WebSocket(url, settings)),
    },
    audioInterface: audio,
    clientTools: tools,
    config: {
      conversationConfigOverride: {
        agent: {
          language: 'de',
          ...(options.firstMessage === undefined ? {} : { first_message: options.firstMessage }),
        },
        conversation: { text_only: options.textOnly ?? false },
      },
      dynamicVariables: options.variables ?? {},
    },
    callbackMessageReceived: (raw: unknown) => {
      const message = ServerMessageSchema.parse(raw);
      messages.push(message);
      for (const waiter of waiting.filter((one) => of(one.type).length >= one.nth)) {
        waiting.splice(waiting.indexOf(waiter), 1);
        waiter.done(message);
      }
    },
  });
  conversation.on('error', () => undefined);
  conversation.on('session_ended', (_id: unknown, code?: number, reason?: string) => {
    if (code !== undefined) closed.resolve({ code, reason: reason ?? '' });
  });
  await conversation.startSession();
  const next = async <T extends WireType>(type: T, nth = 1): Promise<OfType<T>> => {
    if (of(type).length < nth) {
      await new Promise<WireMessage>((done) => void waiting.push({ type, nth, done }));
    }
    const found = of(type)[nth - 1];
    if (found === undefined) throw new Error(`no ${type} ${nth}`);
    return found;
  };
  return { conversation, audio, messages, next, of, closed: closed.promise, sever: () => line?.terminate() };
}

/** What the agent said last, as text. */
export function lastQuestion(of: Talk['of']): string {
  return of('agent_response').at(-1)?.agent_response_event.agent_response ?? '';
}
