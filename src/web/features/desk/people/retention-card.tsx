import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ErasureAnswer, Retention } from '#contract/desk-files.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { Link } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Trash2 } from '#web/ui/screen-icons.ts';
import { contributionHref } from '../desk-url.ts';
import { EraseDialog, ERASURE_KEY, useOutcome } from '../erasure/erase-dialog.tsx';
import { ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { useDeskServer } from '../use-desk.tsx';
import { peopleTexts as texts } from './texts.ts';

/** Shows which contributions the retention period would erase. */
export function RetentionCard(): ReactNode {
  const server = useDeskServer();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...ERASURE_KEY, 'retention'],
    queryFn: ({ signal }) => server.retention(null, signal),
  });
  const [answer, setAnswer] = useState<ErasureAnswer>();
  return (
    <SectionCard title={texts.retention}>
      <div className="flex flex-col gap-4">
        {answer !== undefined && <OutcomeNotice answer={answer} />}
        {isPending && <output className="text-muted">{texts.loading}</output>}
        {error !== null && <ProblemNotice problem={getDeskProblem(error)} onRetry={() => void refetch()} />}
        {data !== undefined && <Content retention={data} onErased={setAnswer} />}
      </div>
    </SectionCard>
  );
}

function OutcomeNotice({ answer }: Readonly<{ answer: ErasureAnswer }>): ReactNode {
  return useOutcome(answer).state === 'done' ? (
    <Notice tone="good" title={texts.retentionDone} live />
  ) : (
    <Notice title={texts.running} live>
      {texts.runningText}
    </Notice>
  );
}

type ContentProps = Readonly<{ retention: Retention; onErased: (answer: ErasureAnswer) => void }>;

function Content({ retention, onErased }: ContentProps): ReactNode {
  const { days, before, total, items } = retention;
  const [confirming, setConfirming] = useState(false);
  if (days === null || before === null) return <p className="text-muted">{texts.retentionOff}</p>;
  return (
    <>
      <p>
        {texts.retentionOn(days)}{' '}
        {total === 0 ? texts.retentionNone : texts.retentionWould(total, formatMoment(before))}
      </p>
      {total > 0 && (
        <>
          <Preview items={items} total={total} />
          <div>
            <Button variant="danger" icon={Trash2} onClick={() => setConfirming(true)}>
              {texts.retentionRun}
            </Button>
          </div>
        </>
      )}
      {confirming && (
        <RunDialog
          count={total}
          before={before}
          onErased={(answer) => {
            setConfirming(false);
            onErased(answer);
          }}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
}

function Preview({ items, total }: Pick<Retention, 'items' | 'total'>): ReactNode {
  const more = total - items.length;
  return (
    <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-control border border-line">
      {items.map(({ id, createdAt, contributor, transcript, files }) => (
        <li key={id} className="relative px-4 py-3 hover:bg-sunken">
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <Link
              href={contributionHref(id, {})}
              aria-label={texts.openContribution(deskTexts.formatName(contributor))}
              className="[overflow-wrap:anywhere] after:absolute after:inset-0"
            >
              <Breakable text={deskTexts.formatName(contributor)} />
            </Link>
            <span className="tabular text-sm text-muted">
              {formatMoment(createdAt)} · {texts.files(files)}
            </span>
          </p>
          {transcript !== '' && <p className="line-clamp-1 text-sm text-muted">{transcript}</p>}
        </li>
      ))}
      {more > 0 && <li className="tabular px-4 py-3 text-muted">{texts.retentionMore(more)}</li>}
    </ul>
  );
}

type RunDialogProps = Readonly<{
  count: number;
  before: string;
  onErased: (answer: ErasureAnswer) => void;
  onClose: () => void;
}>;

function RunDialog({ count, before, onErased, onClose }: RunDialogProps): ReactNode {
  const server = useDeskServer();
  return (
    <EraseDialog
      title={texts.retentionTitle}
      description={texts.retentionText(count, formatMoment(before))}
      understood={texts.retentionUnderstood}
      confirm={texts.confirm}
      erase={() => server.runRetention(before)}
      onErased={onErased}
      onClose={onClose}
    />
  );
}
