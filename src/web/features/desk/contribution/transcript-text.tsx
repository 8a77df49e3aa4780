import { useMemo, type ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import type { SpokenSegment } from '#contract/spoken.ts';
import { Button } from '#web/ui/button.tsx';
import { Play } from '#web/ui/screen-icons.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { chooseSpoken, JumpButton, useSentenceHeard, type Players } from './players.tsx';
import { describeFiles } from './stored-files.ts';
import { contributionTexts } from './texts.ts';

type TranscriptProps = Readonly<{ contribution: DeskContribution; players: Players }>;

/** Shows the transcript as plain text, with a jump button before each sentence whose time is known. */
export function TranscriptText({ contribution, players }: TranscriptProps): ReactNode {
  const transcript = contribution.transcript ?? '';
  const { recordings, spoken: known } = players;
  const spoken = useMemo(() => chooseSpoken({ recordings, spoken: known }), [recordings, known]);
  const heard = useSentenceHeard(players, spoken);
  const pieces = useMemo(
    () => (spoken === undefined ? splitAtTimecodes(transcript) : splitAtSegments(transcript, spoken.segments)),
    [spoken, transcript],
  );
  if (transcript.trim() === '') return <NoTranscript contribution={contribution} players={players} />;
  const path = spoken?.path ?? players.recordings[0]?.path;
  return (
    <div className="max-w-measure leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
      {pieces.map(({ text, seconds }, index) =>
        seconds === undefined || path === undefined ? (
          <SentenceText key={index} text={text} heard={heard !== undefined && pieces[index - 1]?.seconds === heard} />
        ) : (
          <JumpButton
            key={index}
            place={{ path, seconds }}
            label={text === '' ? minutesAndSeconds(Math.floor(seconds)) : text}
            onJump={players.jump}
          />
        ),
      )}
    </div>
  );
}

/** Marks what is being heard. */
function SentenceText({ text, heard }: Readonly<{ text: string; heard: boolean }>): ReactNode {
  if (!heard) return <span>{text}</span>;
  return (
    <mark aria-current="true" className="rounded-sm bg-accent-wash text-ink">
      {text}
    </mark>
  );
}

/** Search window in characters: skips edited text without matching a later repetition. */
const AHEAD = 600;
/** Characters of a sentence that are looked for: an endless one would make too large a regular expression. */
const LONGEST = 200;
/** This many first words identify a sentence whose end was edited. */
const FIRST_WORDS = 4;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * Marks each sentence whose time is known with an empty piece that carries `seconds`. Edited sentences that are not
 * found get no mark.
 */
export function splitAtSegments(transcript: string, segments: readonly SpokenSegment[]): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  let from = 0;
  for (const { start, text } of segments) {
    const place = findSentence(text, transcript, from);
    if (place === undefined) continue;
    if (place.begin > end) pieces.push({ text: transcript.slice(end, place.begin) });
    pieces.push({ text: '', seconds: start });
    end = place.begin;
    from = place.end;
  }
  if (end < transcript.length) pieces.push({ text: transcript.slice(end) });
  return pieces;
}

function findSentence(sentence: string, transcript: string, from: number): { begin: number; end: number } | undefined {
  const known = sentence.length > LONGEST ? sentence.slice(0, LONGEST).replace(/\S+$/, '') : sentence;
  const words = known.split(/\s+/).filter((word) => word !== '');
  const window = transcript.slice(from, from + known.length + AHEAD);
  const found =
    matchWords(words, window) ??
    (words.length > FIRST_WORDS ? matchWords(words.slice(0, FIRST_WORDS), window) : undefined);
  if (found === undefined) return undefined;
  const begin = from + found.index;
  // Skips the rest of a long sentence but for its end, so that the window of the next one reaches it.
  return { begin, end: begin + Math.max(found[0].length, sentence.length - AHEAD / 2) };
}

/** Ignores white space between the words and never matches inside a word. */
function matchWords(words: readonly string[], text: string): RegExpExecArray | undefined {
  if (words.length === 0) return undefined;
  const pattern = words.map((word) => word.replaceAll(SYNTAX, String.raw`\$&`)).join(String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}(?![\p{L}\p{N}])`, 'u').exec(text) ?? undefined;
}

/** A piece of a transcript; one with `seconds` is the time of the text after it. */
type TextPiece = Readonly<{ text: string; seconds?: number }>;

const TIMECODE = /\[(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d)\]/g;

/** Finds `[mm:ss]` and `[h:mm:ss]`, the forms that transcription services write. */
export function splitAtTimecodes(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(TIMECODE)) {
    const [code, hours = '0', minutes = '0', seconds = '0'] = match;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: code, seconds: Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) });
    end = match.index + code.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

const texts = contributionTexts.noTranscript;

/** Says where to find the words of a contribution without a transcript, or that they are lost. */
function NoTranscript({
  contribution,
  players,
}: Readonly<{ contribution: DeskContribution; players: Players }>): ReactNode {
  const instead = findSubstitute(contribution);
  const path = 'path' in instead ? instead.path : undefined;
  const playable = players.recordings.some((one) => one.path === path);
  return (
    <EmptyState
      drawing="transcript"
      title={texts.title}
      action={
        path === undefined || !playable ? undefined : (
          <Button variant="secondary" icon={Play} onClick={() => players.jump({ path, seconds: 0 })}>
            {texts.listen}
          </Button>
        )
      }
    >
      <p>{texts[instead.kind]}</p>
      {!contribution.finished && <p className="mt-2">{texts.open}</p>}
    </EmptyState>
  );
}

/**
 * Where to find the words without a transcript. `lost`: the store no longer has the recording. `filed`: the text
 * arrived as a file only (§8).
 */
type TranscriptSubstitute =
  | Readonly<{ kind: 'recording'; path: string }>
  | Readonly<{ kind: 'filed' | 'logged' | 'lost' | 'nothing' }>;

export function findSubstitute({
  fileList,
  turns,
}: Pick<DeskContribution, 'fileList' | 'turns'>): TranscriptSubstitute {
  const files = describeFiles(fileList);
  if (files.some(({ name, presence }) => name === 'transcript' && presence === 'stored')) return { kind: 'filed' };
  const recordings = files.filter(({ use }) => use === 'audio');
  const there = recordings.findLast((one) => one.presence === 'stored');
  if (there !== undefined) return { kind: 'recording', path: there.file.path };
  if (turns.length > 0) return { kind: 'logged' };
  return { kind: recordings.length > 0 ? 'lost' : 'nothing' };
}
