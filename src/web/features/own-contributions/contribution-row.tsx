import { useId, useState, type ReactNode } from 'react';
import { findChannel } from '#contract/channels.ts';
import { formatKind, formatTopic } from '#contract/labels.ts';
import { getDeletionDate } from '#contract/retention.ts';
import type { OwnContribution, OwnState } from '#contract/own-contributions.ts';
import { useBackend } from '#web/backend/client.ts';
import { requestOwnReviewLink } from '#web/backend/own-contributions.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/format.ts';
import { Check, Clock, Inbox } from '#web/ui/icons.tsx';
import { CircleDashed, CircleOff, ExternalLink, PencilLine } from '#web/ui/screen-icons.ts';
import { GoOn } from './go-on.tsx';
import { Material } from './material.tsx';
import { texts } from './texts.ts';
import { describeMissing } from './unfinished.ts';

const LOOK = {
  unfinished: { icon: CircleDashed, tone: 'caution' },
  received: { icon: Inbox, tone: 'neutral' },
  in_progress: { icon: PencilLine, tone: 'neutral' },
  waiting: { icon: Clock, tone: 'accent' },
  published: { icon: Check, tone: 'good' },
  closed: { icon: CircleOff, tone: 'neutral' },
} as const satisfies Record<OwnState, Readonly<{ icon: typeof Clock; tone: BadgeTone }>>;

/** One contribution: what it was, where it stands, what to do next. */
export function ContributionRow({ row }: Readonly<{ row: OwnContribution }>): ReactNode {
  const heading = useId();
  const { icon: Icon, tone } = LOOK[row.state];
  const next = row.state === 'unfinished' ? describeMissing(row) : texts.next[row.state];
  const { retentionDays } = useBackend().config;
  const details = [
    row.topic === null ? undefined : formatTopic(row.topic),
    formatDate(row.createdAt),
    retentionDays === undefined
      ? undefined
      : texts.keptUntil(formatDate(getDeletionDate(row.createdAt, null, retentionDays))),
  ];
  return (
    <li aria-labelledby={heading} className="rounded-card border border-line bg-surface p-5 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2">
        <div className="min-w-0">
          <h2 id={heading} className="text-lg font-semibold">
            {row.kind === null ? texts.contribution : formatKind(row.kind)}
          </h2>
          <p className="tabular text-sm text-muted">{details.filter(Boolean).join(' · ')}</p>
        </div>
        <Badge tone={tone} icon={<Icon aria-hidden className="size-4" />}>
          {texts.states[row.state]}
        </Badge>
      </div>
      {next !== undefined && <p className="mt-3 text-muted">{next}</p>}
      <div className="mt-4 flex flex-col gap-2 empty:hidden sm:flex-row sm:flex-wrap">
        {row.state === 'unfinished' && <GoOn row={row} />}
        {row.state === 'waiting' && <RequestLink contribution={row.id} />}
        {row.links.map(({ channel, url }) => (
          <ButtonLink
            key={`${channel} ${url}`}
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            icon={<ExternalLink aria-hidden className="size-5" />}
          >
            {channel === null ? texts.seeIt : texts.see(findChannel(channel)?.name ?? channel)}
          </ButtonLink>
        ))}
      </div>
      {(row.files > 0 || row.transcript) && <Material contribution={row.id} />}
    </li>
  );
}

/** The link stands in a mail alone: its key is nowhere in the database. */
function RequestLink({ contribution }: Readonly<{ contribution: number }>): ReactNode {
  const backend = useBackend();
  const [state, setState] = useState<'ready' | 'busy' | 'sent' | 'failed'>('ready');
  const request = async (): Promise<void> => {
    setState('busy');
    await requestOwnReviewLink(backend, contribution).then(
      () => setState('sent'),
      () => setState('failed'),
    );
  };
  return (
    <>
      <Button variant="secondary" busy={state === 'busy'} busyLabel={texts.linkBusy} onClick={() => void request()}>
        {texts.link}
      </Button>
      <output className="self-center text-sm empty:hidden">
        {state === 'sent' ? texts.linkSent : state === 'failed' ? texts.linkFailed : ''}
      </output>
    </>
  );
}
