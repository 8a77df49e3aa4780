import { DraftEventSchema, draftsPath, type DraftEvent } from '#contract/drafts.ts';

/** What the stream of a draft came to. */
export type DraftAnswer = Readonly<{
  status: number;
  code: string | undefined;
  events: readonly DraftEvent[];
  text: string;
  /** The code that ended the stream; undefined where it was `draft.done`. */
  failure: string | undefined;
}>;

type DraftCall = Readonly<{ token: string | undefined; contribution: number; body: object; signal?: AbortSignal }>;

export function fetchDraft(url: string, { token, contribution, body, signal }: DraftCall): Promise<Response> {
  return fetch(`${url}${draftsPath(contribution)}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

export async function draft(url: string, call: DraftCall): Promise<DraftAnswer> {
  const response = await fetchDraft(url, call);
  const content = await response.text();
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const { error } = JSON.parse(content) as { error: { code: string } };
    return { status: response.status, code: error.code, events: [], text: '', failure: undefined };
  }
  const events = readEvents(content);
  const text = events.map((event) => (event.type === 'draft.text.delta' ? event.delta : '')).join('');
  const last = events.at(-1);
  const failure = last?.type === 'draft.error' ? last.code : undefined;
  return { status: response.status, code: undefined, events, text, failure };
}

export const readEvents = (content: string): DraftEvent[] =>
  content
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => DraftEventSchema.parse(JSON.parse(line.slice('data: '.length))));
