import type { ReactNode } from 'react';
import type { DeskPost } from '#web/backend/posts.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { postTexts } from './texts.ts';

const texts = postTexts.answers;

const TONES = {
  approve: 'good',
  change: 'caution',
  decline: 'record',
  withdraw: 'record',
} as const satisfies Readonly<Record<DeskPost['answers'][number]['answer'], BadgeTone>>;

/** What the contributor answered, the newest first. */
export function Answers({ answers }: Pick<DeskPost, 'answers'>): ReactNode {
  return (
    <ol aria-label={texts.title} className="flex flex-col gap-4">
      {answers.toReversed().map(({ answer, comment, at, version }) => (
        <li key={at} className="flex flex-col items-start gap-1">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={TONES[answer]}>{texts[answer]}</Badge>
            <span className="tabular text-sm text-muted">
              {formatMoment(at)} · {texts.of(version)}
            </span>
          </p>
          {comment !== '' && (
            <p className="border-l-2 border-line-strong pl-3 leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
              {comment}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
