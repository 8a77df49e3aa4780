import { findFacts, type Fact } from './facts.ts';
import { createMatcher, type Matcher } from './match.ts';
import { findWords, listContent, readSentence, type Place, type Source, type SourceIndex } from './sources.ts';
import { isEmptyWord, splitSentences, type Span } from './words.ts';

export type { Fact, FactKind } from './facts.ts';
export { indexSources, type Place, type SourceIndex } from './sources.ts';

/**
 * On what a sentence of a post rests. quoted: said in these words. paraphrased: said, and every number, date and name
 * in it as well. unsupported: the sources do not say it, or not all of it; `facts` without a place are why.
 */
export type SentenceEvidence = Span &
  Readonly<{
    verdict: 'quoted' | 'paraphrased' | 'unsupported';
    /** The nearest places, the best one first; also of an unsupported sentence. */
    places: readonly Place[];
    facts: readonly Fact[];
  }>;

/** Which part of a sentence's words the sources must have. */
const COVERED = 0.45;
const QUOTED_WORDS = 3;
const LINK_OR_TAG = /https?:\/\/\S+|www\.\S+|(?<![\p{L}\p{N}])#[\p{L}\p{N}_]+/gu;
/**
 * German marks (also with the English or straight one at the end) and guillemets of both directions may hold line ends;
 * straight and English ones may not, because they look alike at both ends. Behind a letter or a digit these open
 * nothing: an inch mark. Of the marks with one stroke ’ ends nothing: an apostrophe.
 */
const QUOTATION =
  /„[^„“”"»«]{2,}[“”"]|(?<![\p{L}\p{N}])[“"][^„“”"»«\n]{2,}[“”"]|»[^„“”"»«]{2,}«|«[^„“”"»«]{2,}»|‚[^‚‘]{2,}‘|›[^›‹]{2,}‹|‹[^›‹]{2,}›/gu;

/**
 * Looks each sentence of a text up in the sources. The same code runs in browser, server and tests. The sentences of
 * the text before are remembered, so that a key costs the look at its own one.
 */
export function createEvidence(index: SourceIndex): (body: string) => SentenceEvidence[] {
  const matcher = createMatcher(index);
  let before: ReadonlyMap<string, Judgement> = new Map();
  return (body) => {
    const plain = body.replaceAll(LINK_OR_TAG, (tag) => ' '.repeat(tag.length));
    const judged = new Map<string, Judgement>();
    const allQuotations = findQuotations(plain);
    const sentences = splitSentences(body)
      .filter(({ start, end }) => /[\p{L}\p{N}]/u.test(plain.slice(start, end)))
      .map((span) => {
        const text = plain.slice(span.start, span.end);
        const quotations = cutQuotations(allQuotations, plain, span);
        const key = JSON.stringify([text, quotations]);
        const judgement = judged.get(key) ?? before.get(key) ?? judgeSentence(index, matcher, { text, quotations });
        judged.set(key, judgement);
        return { ...judgement, ...span, facts: judgement.facts.map((fact) => moveFact(fact, span.start)) };
      });
    before = judged;
    return sentences;
  };
}

/** Of a sentence that begins at 0. */
type Judgement = Omit<SentenceEvidence, keyof Span>;

const moveFact = (fact: Fact, by: number): Fact => ({ ...fact, start: fact.start + by, end: fact.end + by });

type PostSentence = Readonly<{ text: string; quotations: readonly Span[] }>;

function judgeSentence(index: SourceIndex, matcher: Matcher, { text, quotations }: PostSentence): Judgement {
  const sentence = readSentence(text, 0);
  const content = listContent(sentence);
  // 'Was für ein Tag!' has no number, so its unit is a word like others.
  const match = matcher.match(content.length > 0 ? content : sentence.words.filter((word) => !isEmptyWord(word)));
  const facts = findFacts({ index, matcher, sentence, quotations, match });
  const quoted = sentence.words.length >= QUOTED_WORDS ? findWords(index, text) : undefined;
  if (quoted !== undefined) return { verdict: 'quoted', places: [quoted], facts };
  const there = match.sentences.flatMap((place) => index.sentences[place] ?? []);
  const places = there.map(({ source, start, end }) => ({ source, start, end }));
  // '250 bar?' says nothing but its facts.
  const covered = (content.length === 0 && facts.length > 0) || match.coverage >= COVERED;
  const supported = covered && facts.every(({ place }) => place !== undefined);
  return { verdict: supported ? 'paraphrased' : 'unsupported', places, facts };
}

/** The material of a contribution, as the desk and the review page have it. */
type Material = Readonly<{
  transcript: string;
  /** Answers to the W-questions by question. */
  answers: Readonly<Record<string, string>>;
  files?: readonly string[];
  /** Alternative texts of pictures, by upload. */
  alternatives?: Readonly<Record<string, string>>;
}>;

/**
 * The sources of a contribution: what the contributor said, never what the interviewer asked. Turns stay where they are
 * in the transcript, so that a place is a place there.
 */
export function collectSources({ transcript, answers, files = [], alternatives = {} }: Material): Source[] {
  return [
    { id: 'transcript', text: blankInterviewer(transcript) },
    ...Object.entries(answers).map(([question, text]) => ({ id: `answer:${question}`, text })),
    ...files.map((name) => ({ id: `file:${name}`, text: name.replaceAll(/[_-]|\.\w+$/g, ' ') })),
    ...Object.entries(alternatives).map(([upload, text]) => ({ id: `alternative:${upload}`, text })),
  ].filter(({ text }) => text.trim() !== '');
}

/** A line without a speaker goes on with the one before, as in `parseTurns`. Labels and foreign lines become spaces. */
function blankInterviewer(transcript: string): string {
  let speaks = true;
  return transcript
    .split(/(\n\n)/)
    .map((line) => {
      const [label = ''] = /^(?:Interviewer|Du): /.exec(line) ?? [];
      if (label !== '') speaks = label === 'Du: ';
      const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
      return speaks ? blank(label) + line.slice(label.length) : blank(line);
    })
    .join('');
}

/** What stands between quotation marks, also over several sentences. */
function findQuotations(text: string): Span[] {
  return [...text.matchAll(QUOTATION)].map(({ 0: { length }, index }) => ({
    start: index + 1,
    end: index + length - 1,
  }));
}

/** The parts of quotations in one sentence, counted from its beginning. */
function cutQuotations(quotations: readonly Span[], text: string, { start, end }: Span): Span[] {
  return quotations
    .map((quoted) => ({ start: Math.max(quoted.start, start), end: Math.min(quoted.end, end) }))
    .filter((part) => /[\p{L}\p{N}]/u.test(text.slice(part.start, part.end)))
    .map((part) => ({ start: part.start - start, end: part.end - start }));
}
