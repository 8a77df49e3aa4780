import type { DraftEvent, DraftRequest } from '#contract/drafts.ts';
import { chat, type ChatLimits, type ChatMessage } from '../language-model.ts';
import type { Service } from '../service-request.ts';
import { createMarkerReader, findTextError, type Piece } from './answer.ts';
import {
  buildDraftPrompt,
  buildSelectionPrompt,
  getTargetLength,
  numberSentences,
  planParts,
  readSelection,
  removeUnseen,
  selectSentences,
  type NumberedSentence,
} from './prompt.ts';
import { DraftError } from './error.ts';
import type { SourceSentence } from './material.ts';

/** Times in ms. */
export type DraftLimits = Readonly<{
  concurrent: number;
  totalMs: number;
  silenceMs: number;
  answerCharacters: number;
  partCharacters: number;
}>;

export type DraftJob = Readonly<{
  service: Service;
  limits: DraftLimits;
  request: DraftRequest;
  sentences: readonly SourceSentence[];
  signal: AbortSignal;
  send: (event: DraftEvent) => void;
}>;

/** Figures for the log. */
export type DraftFigures = Readonly<{ parts: number; characters: number; citations: number; ignored: number }>;

const CHARACTERS_PER_TOKEN = 2;
/** With the JSON around each token. */
const BYTES_PER_CHARACTER = 1_000;
const SELECTION_CHARACTERS = 4_000;
const SPARE_CHARACTERS = 1_000;
const CHECK_EVERY = 200;
/** More numbers in one place say nothing. */
const RUN_MAX = 6;

/** Streams a draft. Throws DraftError, or what the service's client throws; what was sent until then stands. */
export async function writeDraft(job: DraftJob): Promise<DraftFigures> {
  const { service, limits, request, sentences, send } = job;
  send({ type: 'draft.begun', model: service.model });
  const { chosen, parts } = await condense(job);
  const text = createTextCollector(sentences, new Set(chosen.map(({ number }) => number)), send);
  const wanted = 'text' in request ? 2 * request.text.length : 0;
  const characters = Math.max(4 * getTargetLength(request.channel), wanted) + SPARE_CHARACTERS;
  const asked = { messages: buildDraftPrompt(request, chosen), limits: toChatLimits(limits, characters) };
  let reason: string | undefined;
  for await (const event of chat(service, { ...asked, signal: job.signal })) {
    if (event.kind === 'text') text.add(event.text);
    else if (event.kind === 'end') ({ reason } = event);
  }
  const figures = { ...text.finish(), parts };
  if (reason === 'cut') throw new DraftError('answer_too_long');
  if (reason === 'broken') throw new DraftError('answer_incomplete');
  send({ type: 'draft.done', ignored: figures.ignored });
  return figures;
}

function toChatLimits({ answerCharacters, silenceMs, totalMs }: DraftLimits, wanted: number): ChatLimits {
  const characters = Math.min(answerCharacters, wanted);
  return {
    tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    characters,
    bytes: characters * BYTES_PER_CHARACTER,
    firstWordMs: silenceMs,
    silenceMs,
    totalMs,
  };
}

/**
 * Lets the model choose sentences of long material, part by part, so that nothing but the contributor's words is
 * left.
 */
async function condense({ service, limits, sentences, signal, send }: DraftJob) {
  const numbered = numberSentences(sentences);
  const parts = planParts(numbered, limits.partCharacters);
  if (parts.length === 0) return { chosen: numbered, parts: 0 };
  const chosen: NumberedSentence[] = [];
  for (const [done, part] of parts.entries()) {
    send({ type: 'draft.progress', done, total: parts.length });
    const messages = buildSelectionPrompt(part.sentences, part.most);
    const answer = await readAnswer(service, messages, toChatLimits(limits, SELECTION_CHARACTERS), signal);
    chosen.push(...selectSentences(part, readSelection(answer)));
  }
  send({ type: 'draft.progress', done: parts.length, total: parts.length });
  return { chosen, parts: parts.length };
}

async function readAnswer(
  service: Service,
  messages: readonly ChatMessage[],
  limits: ChatLimits,
  signal: AbortSignal,
): Promise<string> {
  let answer = '';
  for await (const event of chat(service, { messages, limits, signal }))
    if (event.kind === 'text') answer += event.text;
  return answer;
}

/** Sends text and citations as they come, and throws DraftError as soon as the text is no good. */
function createTextCollector(
  sentences: readonly SourceSentence[],
  offered: ReadonlySet<number>,
  send: (event: DraftEvent) => void,
) {
  const reader = createMarkerReader();
  const cited = createCitations(sentences, offered, send);
  let text = '';
  let checkedAt = 0;

  const take = (piece: Piece): void => {
    if (piece.kind === 'marker') return cited.add(piece.numbers, text.length);
    const delta = text === '' ? piece.text.trimStart() : piece.text;
    if (delta === '') return;
    cited.sendRun(text.length);
    text += delta;
    send({ type: 'draft.text.delta', delta });
  };
  const check = (progress: 'growing' | 'finished'): void => {
    const code = findTextError(text, progress);
    if (code !== undefined) throw new DraftError(code);
  };
  return {
    add: (chunk: string): void => {
      for (const piece of reader.read(removeUnseen(chunk))) take(piece);
      if (text.length - checkedAt < CHECK_EVERY) return;
      checkedAt = text.length;
      check('growing');
    },
    finish: () => {
      for (const piece of reader.end()) take(piece);
      cited.sendRun(text.length);
      check('finished');
      return { characters: text.length, ...cited.figures() };
    },
  };
}

/** The sentences that the markers of one place name, sent together. Those that were not offered are ignored. */
function createCitations(
  sentences: readonly SourceSentence[],
  offered: ReadonlySet<number>,
  send: (event: DraftEvent) => void,
) {
  let run: number[] = [];
  let citations = 0;
  let ignored = 0;
  return {
    add: (numbers: readonly number[], at: number): void => {
      // A marker before the first word rests on nothing.
      if (at === 0) ignored += numbers.length;
      else if (run.length <= RUN_MAX) run.push(...numbers);
    },
    sendRun: (at: number): void => {
      const numbers = [...new Set(run)];
      const known = numbers.length > RUN_MAX ? [] : numbers.filter((number) => offered.has(number));
      ignored += numbers.length - known.length;
      citations += known.length;
      for (const number of known) {
        const place = sentences[number - 1];
        if (place === undefined) continue;
        const { source, start, end } = place;
        send({ type: 'draft.citation', at, source, start, end });
      }
      run = [];
    },
    figures: () => ({ citations, ignored }),
  };
}
