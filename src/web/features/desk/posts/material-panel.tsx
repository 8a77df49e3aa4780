import { useLayoutEffect, useRef, type ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import type { Place, SentenceEvidence } from '#contract/evidence/index.ts';
import type { Source } from '#contract/evidence/sources.ts';
import { SectionCard } from '#web/ui/card.tsx';
import { ToneIcon } from '#web/ui/notice.tsx';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { chooseSpoken, JumpButton, type Players } from '../contribution/players.tsx';
import { splitAtSegments } from '../contribution/transcript-text.tsx';
import { postTexts } from './texts.ts';

const texts = postTexts.evidence;
/** Its look stands in styles.css. */
const HIGHLIGHT = 'evidence';

type EvidencePanelProps = Readonly<{
  contribution: DeskContribution;
  sources: readonly Source[];
  active: SentenceEvidence | undefined;
  players: Players;
}>;

/** The place in the material on which the sentence at the cursor rests, then the material itself. */
export function EvidencePanel({ contribution, sources, active, players }: EvidencePanelProps): ReactNode {
  const [place] = active?.places ?? [];
  const spoken = chooseSpoken(players);
  const seconds =
    place?.source === 'transcript' ? findSeconds(contribution.transcript ?? '', spoken, place) : undefined;
  return (
    <div className="flex flex-col gap-4">
      <SectionCard title={texts.title}>
        <div aria-live="polite" className="flex flex-col gap-3">
          {active === undefined ? (
            <p className="text-muted">{texts.none}</p>
          ) : (
            <Verdict evidence={active} sources={sources} />
          )}
          {spoken !== undefined && seconds !== undefined && (
            <p>
              <JumpButton
                place={{ path: spoken.path, seconds }}
                label={`${texts.play} (${minutesAndSeconds(Math.floor(seconds))})`}
                onJump={players.jump}
              />
            </p>
          )}
        </div>
      </SectionCard>
      <TranscriptCard transcript={contribution.transcript} place={place} />
    </div>
  );
}

type Spoken = ReturnType<typeof chooseSpoken>;

/** When the sentence was said: the last known time before it. */
function findSeconds(transcript: string, spoken: Spoken, place: Place): number | undefined {
  let seconds: number | undefined;
  let end = 0;
  for (const piece of splitAtSegments(transcript, spoken?.segments ?? [])) {
    if (end > place.start) break;
    seconds = piece.seconds ?? seconds;
    end += piece.text.length;
  }
  return seconds;
}

const TONES = { quoted: 'good', paraphrased: 'good', unsupported: 'caution' } as const;

function Verdict({
  evidence,
  sources,
}: Readonly<{ evidence: SentenceEvidence; sources: readonly Source[] }>): ReactNode {
  const { verdict, places, facts } = evidence;
  const missing = facts.filter((fact) => fact.place === undefined);
  const [place] = places;
  const source = sources.find(({ id }) => id === place?.source);
  return (
    <>
      <p className="flex items-center gap-2 font-medium">
        <ToneIcon tone={TONES[verdict]} />
        {texts[verdict]}
      </p>
      {missing.length > 0 && (
        <div>
          <p className="text-sm text-muted">{texts.missing}</p>
          <ul className="mt-1 flex flex-wrap gap-1.5">
            {missing.map(({ start, text, kind }) => (
              <li key={start} className="rounded-sm bg-caution-wash px-2 py-0.5 text-sm font-medium text-caution-ink">
                {texts.kinds[kind]}: {text}
              </li>
            ))}
          </ul>
        </div>
      )}
      {place === undefined || source === undefined ? (
        <p className="text-muted">{texts.nothing}</p>
      ) : (
        <div>
          {verdict === 'unsupported' && <p className="mb-1 text-sm text-muted">{texts.nearest}</p>}
          <blockquote className="border-l-2 border-accent pl-3 leading-relaxed [overflow-wrap:anywhere]">
            {source.text.slice(place.start, place.end).trim()}
          </blockquote>
          <p className="mt-1 text-sm text-muted">{nameSource(place.source)}</p>
        </div>
      )}
    </>
  );
}

function nameSource(id: string): string {
  const kind = id.split(':', 1)[0];
  if (kind === 'answer' || kind === 'file' || kind === 'alternative') return texts.source[kind];
  return texts.source.transcript;
}

function TranscriptCard({
  transcript,
  place,
}: Readonly<{ transcript: string | null; place: Place | undefined }>): ReactNode {
  const box = useRef<HTMLElement>(null);
  const [start, end] = place?.source === 'transcript' ? [place.start, place.end] : [];
  const length = transcript?.length ?? 0;
  useLayoutEffect(
    () => highlight(box.current, Math.min(start ?? length, length), Math.min(end ?? length, length)),
    [length, start, end],
  );
  return (
    <SectionCard title={postTexts.transcript}>
      {transcript === null || transcript.trim() === '' ? (
        <p className="text-muted">{postTexts.noTranscript}</p>
      ) : (
        <section
          ref={box}
          aria-label={postTexts.transcript}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keyboard
          tabIndex={0}
          className="relative max-h-[24rem] overflow-y-auto leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {transcript}
        </section>
      )}
    </SectionCard>
  );
}

/**
 * Marks a place of the text and scrolls to it, without a change of the document: that would lay a long transcript out
 * again with each key. The page stays where the text is written.
 */
function highlight(box: HTMLElement | null, start: number, end: number): (() => void) | undefined {
  const text = box?.firstChild;
  if (!(text instanceof Text) || start === end || typeof Highlight === 'undefined') return undefined;
  const range = new Range();
  range.setStart(text, start);
  range.setEnd(text, end);
  CSS.highlights.set(HIGHLIGHT, new Highlight(range));
  if (box !== null) {
    const { top } = range.getBoundingClientRect();
    box.scrollTop += top - box.getBoundingClientRect().top - box.clientHeight / 3;
  }
  return () => void CSS.highlights.delete(HIGHLIGHT);
}
