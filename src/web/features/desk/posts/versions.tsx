import { clsx } from 'clsx';
import { useState, type ReactNode } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Post } from '#contract/posts.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import type { PostVersion } from '#web/backend/posts.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { ProblemNotice } from '../notices.tsx';
import { postTexts } from './texts.ts';
import { usePostFunctions } from './use-posts.ts';
import { diffWords } from './word-diff.ts';

const texts = postTexts.versions;

type VersionsProps = Readonly<{ post: Post; readOnly: boolean; onRestore: (version: PostVersion) => void }>;

/** All versions, the newest first; each shows what it changed, and can be taken into the field again. */
export function Versions({ post, readOnly, onRestore }: VersionsProps): ReactNode {
  const posts = usePostFunctions();
  const [open, setOpen] = useState<number>();
  const { data, error } = useQuery({
    queryKey: ['desk', 'post versions', post.id, post.version],
    queryFn: ({ signal }) => posts.versions(post.id, signal),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <ProblemNotice problem={getDeskProblem(error)} />;
  if (data === undefined) return <p className="text-muted">{texts.loading}</p>;
  return (
    <ol aria-label={texts.title} className="flex flex-col divide-y divide-line">
      {data.map((version, at) => (
        <li key={version.version} className="py-2 first:pt-0 last:pb-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <button
              type="button"
              aria-expanded={open === version.version}
              onClick={() => setOpen(open === version.version ? undefined : version.version)}
              className="touch rounded-control pr-2 text-left font-medium hover:text-accent-ink"
            >
              {texts.of(version.version)}
            </button>
            <span className="tabular text-sm text-muted">{formatMoment(version.created_at)}</span>
            {version.model !== null && <span className="text-sm text-muted">{texts.model(version.model)}</span>}
            {version.version === post.version && <Badge>{texts.current}</Badge>}
            {version.version === post.sentVersion && <Badge tone="accent">{texts.sent}</Badge>}
          </div>
          {open === version.version && (
            <div className="animate-rise flex flex-col items-start gap-3 pt-1 pb-2">
              <Changes before={data[at + 1]?.body} after={version.body} />
              {!readOnly && version.version !== post.version && (
                <Button variant="secondary" onClick={() => onRestore(version)}>
                  {texts.restore}
                </Button>
              )}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function Changes({ before, after }: Readonly<{ before: string | undefined; after: string }>): ReactNode {
  return (
    <div className="w-full">
      <p className="mb-1 text-sm text-muted">{before === undefined ? texts.first : texts.compare}</p>
      <DiffText before={before ?? after} after={after} />
    </div>
  );
}

/** Two texts in one: what is gone is struck out, what is new is marked. */
export function DiffText({ before, after }: Readonly<{ before: string; after: string }>): ReactNode {
  return (
    <p className="leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
      {diffWords(before, after).map(({ kind, text }, at) => {
        if (kind === 'same') return <span key={at}>{text}</span>;
        const Mark = kind === 'added' ? 'ins' : 'del';
        return (
          <Mark
            key={at}
            className={clsx(
              'rounded-sm',
              kind === 'added' ? 'bg-good-wash text-good-ink no-underline' : 'bg-record-wash text-record-ink',
            )}
          >
            <span className="sr-only">{texts[kind]}: </span>
            {text}
          </Mark>
        );
      })}
    </p>
  );
}
