import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { type ReactNode, type Ref, useId, useState } from 'react';
import { findChannel } from '#contract/channels.ts';
import { formatKind, formatTopic } from '#contract/labels.ts';
import type { OwnContribution, OwnState } from '#contract/own-contributions.ts';
import { type BackendClient, useBackend } from '#web/backend/client.ts';
import { readTranscript } from '#web/backend/interviews.ts';
import { listMedia, signMedia } from '#web/backend/media.ts';
import { requestOwnReviewLink } from '#web/backend/own-contributions.ts';
import { choosePause } from '#web/backend/server-state.tsx';
import { getFileName } from '#web/submission/file-name.ts';
import { ScrollBox } from '#web/ui/card.tsx';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { formatDate, getDeletionDate } from '#web/ui/format.ts';
import { Check, ChevronDown, Clock } from '#web/ui/icons.tsx';
import { Link } from '#web/ui/link.tsx';
import { CircleDashed, CircleOff, ExternalLink, Inbox, PencilLine } from '#web/ui/screen-icons.ts';
import { Discard } from './discard.tsx';
import { texts } from './texts.ts';
import { describeMissing, GoOn, useUploadingRow } from './unfinished-section.tsx';

const LOOK = {
  unfinished: { icon: CircleDashed, tone: 'caution' },
  received: { icon: Inbox, tone: 'neutral' },
  in_progress: { icon: PencilLine, tone: 'neutral' },
  waiting: { icon: Clock, tone: 'accent' },
  published: { icon: Check, tone: 'good' },
  closed: { icon: CircleOff, tone: 'neutral' },
} as const satisfies Record<OwnState, Readonly<{ icon: typeof Clock; tone: BadgeTone }>>;

type ContributionRowProps = Readonly<{ row: OwnContribution; begin?: Ref<HTMLLIElement> }>;

/** One contribution: what it was, where it stands, what to do next. `begin`: for the focus, where a page begins. */
export function ContributionRow({ row, begin = null }: ContributionRowProps): ReactNode {
  const heading = useId();
  const { icon: Icon, tone } = LOOK[row.state];
  const sending = useUploadingRow(row);
  const missing = row.state === 'unfinished' ? describeMissing(row) : texts.next[row.state];
  const next = sending ? texts.sending : missing;
  const { retentionDays, deskMails } = useBackend().config;
  const renewable = (row.review ?? row.state === 'waiting') && row.state !== 'closed' && deskMails !== false;
  const kind = row.kind === null ? texts.contribution : formatKind(row.kind);
  // Tells the buttons of several rows apart.
  const name = (action: string): string => `${action}: ${kind}, ${texts.contentId(row.id)}`;
  const details = [
    row.topic === null ? undefined : formatTopic(row.topic),
    formatDate(row.createdAt),
    retentionDays === undefined
      ? undefined
      : texts.keptUntil(formatDate(getDeletionDate(row.createdAt, null, retentionDays))),
  ];
  return (
    <li
      ref={begin}
      tabIndex={begin === null ? undefined : -1}
      aria-labelledby={heading}
      className="rounded-card border border-line bg-surface p-5 sm:p-6"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <h2 id={heading} className="text-lg font-semibold">
          {kind}
        </h2>
        <Badge tone={tone} icon={Icon}>
          {texts.states[row.state]}
        </Badge>
      </div>
      <p className="tabular mt-1 text-sm text-muted">
        {details.filter(Boolean).map((detail) => `${detail}\u00A0· `)}
        <span className="whitespace-nowrap">{texts.contentId(row.id)}</span>
      </p>
      {next !== undefined && <p className="mt-3 text-muted">{next}</p>}
      {renewable && row.state !== 'waiting' && <p className="mt-3 text-muted">{texts.answered}</p>}
      <div className="mt-4 flex flex-col gap-2 empty:hidden sm:flex-row sm:flex-wrap">
        {row.state === 'unfinished' && !sending && (
          <>
            <GoOn row={row} label={name(texts.goOn)} />
            <Discard row={row} label={name(texts.discard.action)} />
          </>
        )}
        {renewable && <RequestLink contribution={row.id} label={name(texts.link)} />}
        {row.links.map(({ channel, url }) => (
          <ButtonLink
            key={`${channel} ${url}`}
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            icon={ExternalLink}
          >
            {channel === null ? texts.seeIt : texts.see(findChannel(channel)?.name ?? channel)}
          </ButtonLink>
        ))}
      </div>
      {(row.files > 0 || row.transcript) && <Material contribution={row.id} label={name(texts.material)} />}
    </li>
  );
}

type PartProps = Readonly<{ contribution: number; label: string }>;

/** Only the mail contains the link: the database does not store its key. */
function RequestLink({ contribution, label }: PartProps): ReactNode {
  const backend = useBackend();
  const [state, setState] = useState<'ready' | 'busy' | 'sent' | 'failed'>('ready');
  const sent = backend.config.mailServer === false ? texts.linkNoMails : texts.linkSent;
  const request = async (): Promise<void> => {
    setState('busy');
    await requestOwnReviewLink(backend, contribution).then(
      () => setState('sent'),
      () => setState('failed'),
    );
  };
  return (
    <>
      <Button
        variant="secondary"
        aria-label={state === 'busy' ? undefined : label}
        busy={state === 'busy'}
        busyLabel={texts.linkBusy}
        onClick={() => void request()}
      >
        {texts.link}
      </Button>
      <output className="self-center text-sm empty:sr-only">
        {state === 'sent' ? sent : state === 'failed' ? texts.linkFailed : ''}
      </output>
    </>
  );
}

/** An address ends with this; those of a list that stays open are renewed before. */
const SIGNED_S = 3_600;
const RENEWED_AFTER_MS = (SIGNED_S * 1_000) / 2;

/** Files and transcript of one contribution, loaded when they are opened. */
function Material({ contribution, label }: PartProps): ReactNode {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="mt-4 border-t border-line pt-1">
      <button
        type="button"
        aria-label={label}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="touch -mb-3 flex w-full items-center justify-between gap-3 text-left font-medium"
      >
        {texts.material}
        <ChevronDown className={clsx('size-5 text-muted transition-transform', open && 'rotate-180')} />
      </button>
      <div id={id} hidden={!open} className="pt-5">
        {open && <Contents contribution={contribution} />}
      </div>
    </div>
  );
}

function Contents({ contribution }: Readonly<{ contribution: number }>): ReactNode {
  const backend = useBackend();
  const queryKey = ['own-contributions', contribution];
  const { data, isPending } = useQuery({ queryKey, queryFn: () => loadMaterial(backend, contribution) });
  const paths = data?.files.map(({ path }) => path) ?? [];
  // Where this fails, the earlier addresses stay, and the rest is shown without any.
  const {
    data: addresses,
    isLoading,
    isFetched,
  } = useQuery({
    queryKey: [...queryKey, paths],
    queryFn: () => signMedia(backend, paths, SIGNED_S),
    enabled: paths.length > 0,
    staleTime: RENEWED_AFTER_MS,
    refetchInterval: ({ state }) => (state.status === 'error' ? choosePause({ state }) : RENEWED_AFTER_MS),
    // Behind another tab or a locked screen no interval runs.
    refetchOnWindowFocus: true,
  });
  if (isPending || (isLoading && !isFetched)) return <output className="text-muted">{texts.materialLoading}</output>;
  if (data === undefined) return <p role="alert">{texts.materialFailed}</p>;
  const { transcript } = data;
  const files = data.files.map((file) => ({ ...file, url: addresses?.get(file.path) }));
  return (
    <div className="flex flex-col gap-4">
      {files.length === 0 && transcript === '' && <p className="text-muted">{texts.nothing}</p>}
      {files.length > 0 && (
        <ul className="flex flex-col">
          {files.map(({ path, name, url }) => (
            <li key={path} className="flex min-h-11 items-center wrap-anywhere">
              {url === undefined ? (
                name
              ) : (
                <Link href={url} target="_blank" rel="noopener noreferrer" aria-label={texts.open(name)}>
                  {name}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
      {transcript !== '' && (
        <ScrollBox
          label={texts.transcript(contribution)}
          className="max-h-64 bg-sunken wrap-anywhere whitespace-pre-wrap"
        >
          {transcript}
        </ScrollBox>
      )}
    </div>
  );
}

/** By the caller's own rights. */
async function loadMaterial(backend: BackendClient, id: number) {
  const [media, transcript] = await Promise.all([listMedia(backend, id), readTranscript(backend, id)]);
  const files = media.map((file) => ({ path: file.path, name: getFileName(file) }));
  return { files, transcript: transcript?.trim() ?? '' };
}
