import { useState, type ReactNode } from 'react';
import { getDeletionDate } from '#contract/retention.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import type { StoredFile } from '#web/backend/media.ts';
import { getKind } from '#web/submission/files.ts';
import { SectionCard } from '#web/ui/card.tsx';
import { formatDate } from '#web/ui/format.ts';
import { texts } from './texts.ts';

export function SummaryCard({ summary }: Readonly<{ summary: Summary }>): ReactNode {
  const words = texts.summary;
  const spoken = summary.type === 'interview' || summary.type === 'voice';
  const rows = spoken
    ? ([
        [words.type, words[summary.type]],
        [words.transcript, summary.hasTranscript ? words.transcriptYes : words.transcriptNo],
        [words.images, summary.images === 0 ? words.noImages : String(summary.images)],
      ] as const)
    : ([
        [words.type, words[summary.type]],
        [words.files, String(summary.files)],
      ] as const);
  return (
    <SectionCard title={texts.summaryTitle}>
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-3">
        {rows.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-4 sm:block">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="tabular font-medium sm:mt-1 sm:text-lg">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-4 empty:hidden">
        <DeletionDate />
      </div>
    </SectionCard>
  );
}

/** Counted from now, when the contribution is completed. */
export function DeletionDate(): ReactNode {
  const { retentionDays } = useBackendConfig();
  const [now] = useState(() => new Date().toISOString());
  if (retentionDays === undefined) return null;
  const date = formatDate(getDeletionDate(now, null, retentionDays));
  return <p className="text-sm text-muted">{texts.keptUntil(date)}</p>;
}

export function NextCard(): ReactNode {
  return (
    <SectionCard title={texts.nextTitle}>
      <ol className="flex flex-col gap-3">
        {texts.next.map((step, index) => (
          <li key={step} className="flex items-baseline gap-3">
            <span aria-hidden className="tabular w-5 shrink-0 text-right font-semibold text-accent-ink">
              {index + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
    </SectionCard>
  );
}

type ContentType = 'interview' | 'voice' | 'video' | 'image' | 'document';

type Summary = Readonly<{ type: ContentType; hasTranscript: boolean; images: number; files: number }>;

/**
 * §2.11: summarises a contribution. An interview differs from a voice message by its named speakers (§3 'Transcript
 * text'). Files without a word spoken are a video, a picture or a document: the specified words are for speech only.
 */
export function summarise(
  contribution: Readonly<{
    interviewId: string | undefined;
    transcript: string | undefined;
    files: readonly StoredFile[];
  }>,
): Summary {
  const transcript = contribution.transcript?.trim() ?? '';
  return {
    type: findType(transcript, contribution),
    hasTranscript: transcript !== '',
    images: contribution.files.filter((file) => getKind(file.type) === 'image').length,
    files: contribution.files.length,
  };
}

/** §7: a file whose type contains 'text' is the transcript; the newest one, as the name carries its time. */
export function transcriptFile(files: readonly StoredFile[]): StoredFile | undefined {
  return files
    .filter((file) => getKind(file.type) === 'text')
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .at(-1);
}

function findType(
  transcript: string,
  { interviewId, files }: Readonly<{ interviewId: string | undefined; files: readonly StoredFile[] }>,
): ContentType {
  if (isInterview(transcript, interviewId)) return 'interview';
  const kinds = files.map((file) => getKind(file.type));
  if (transcript !== '' || kinds.includes('audio') || /_voice_/.test(`_${interviewId ?? ''}`)) return 'voice';
  if (kinds.includes('video')) return 'video';
  if (kinds.includes('other') || kinds.includes('text')) return 'document';
  return kinds.includes('image') ? 'image' : 'voice';
}

function isInterview(transcript: string, interviewId: string | undefined): boolean {
  if (/^(Interviewer|Du): /m.test(transcript)) return true;
  return /_(engineering|behind_scenes|tech_dive|free_topic)_/.test(`_${interviewId ?? ''}`);
}
