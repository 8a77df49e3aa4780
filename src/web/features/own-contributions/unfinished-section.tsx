import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId } from 'react';
import { AREAS, ownArea } from '#contract/areas.ts';
import { formatKind, formatTopic } from '#contract/labels.ts';
import type { OwnContribution } from '#contract/own-contributions.ts';
import type { Role } from '#contract/roles.ts';
import { useBackend } from '#web/backend/client.ts';
import { listOwnContributions, NEWEST } from '#web/backend/own-contributions.ts';
import { connected } from '#web/backend/server-state.tsx';
import { useSession } from '#web/backend/session.ts';
import type { FlowState } from '#web/submission/flow.ts';
import { forgetLink } from '#web/submission/keys.ts';
import { useUploading } from '#web/submission/use-running-work.ts';
import { Button } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/format.ts';
import { ArrowRight } from '#web/ui/icons.tsx';
import { Link, useNavigate } from '#web/ui/link.tsx';
import { Discard } from './discard.tsx';
import { texts } from './texts.ts';

const SHOWN = 2;
const OFFERED_DAYS = 30;

/**
 * On a start page: what was begun and not handed in, with one press to go on. Nothing where there is none or where the
 * list cannot be loaded, as 'Meine Beiträge' says that.
 */
export const UnfinishedSection = connected(Unfinished);

function Unfinished(): ReactNode {
  const backend = useBackend();
  const heading = useId();
  const { data = [], isLoading } = useQuery({
    queryKey: ['own-contributions', 'unfinished'],
    queryFn: async ({ signal }) =>
      (await listOwnContributions(backend, NEWEST, signal)).filter((row) => isOffered(row, Date.now())),
  });
  // Nothing keeps the place while it may still come (LateSection); a hidden element gives it up.
  if (data.length === 0) return isLoading ? null : <span hidden />;
  return (
    <section
      aria-labelledby={heading}
      className="animate-rise mb-8 rounded-card border border-line bg-surface p-5 sm:mb-10 sm:p-6"
    >
      <h2 id={heading} className="text-lg font-semibold">
        {texts.unfinished.title}
      </h2>
      <ul className="mt-1 divide-y divide-line">
        {data.slice(0, SHOWN).map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
      {data.length > SHOWN && (
        <p className="mt-4 border-t border-line pt-4">
          <Link href="/meine-beitraege">{texts.unfinished.all}</Link>
        </p>
      )}
    </section>
  );
}

/** What was given up is not offered for ever; 'Meine Beiträge' goes on listing it. */
export function isOffered({ state, createdAt }: OwnContribution, now: number): boolean {
  return state === 'unfinished' && now - Date.parse(createdAt) < OFFERED_DAYS * 24 * 3_600_000;
}

function Row({ row }: Readonly<{ row: OwnContribution }>): ReactNode {
  const name = row.kind === null ? texts.contribution : formatKind(row.kind);
  const details = [name, row.topic === null ? undefined : formatTopic(row.topic), formatDate(row.createdAt)].filter(
    Boolean,
  );
  const named = details.join(', ');
  const sending = useUploadingRow(row);
  return (
    <li className="flex flex-col gap-3 py-4 last:pb-0 sm:flex-row sm:items-center sm:justify-between sm:gap-6">
      <div className="min-w-0">
        <p className="tabular font-medium">{details.join('\u00A0· ')}</p>
        <p className="text-muted">{sending ? texts.sending : describeMissing(row)}</p>
      </div>
      {!sending && (
        <div className="flex shrink-0 flex-col gap-2 sm:flex-row-reverse">
          <GoOn row={row} label={`${texts.goOn}: ${named}`} />
          <Discard row={row} label={`${texts.discard.action}: ${named}`} />
        </div>
      )}
    </li>
  );
}

/** Whether this page is uploading its files. The lists are loaded again afterwards. */
export function useUploadingRow({ id }: OwnContribution): boolean {
  const client = useQueryClient();
  const sending = useUploading(id);
  useEffect(() => {
    if (!sending) return undefined;
    return () => void client.invalidateQueries({ queryKey: ['own-contributions'] });
  }, [sending, client]);
  return sending;
}

/** Goes on with an unfinished contribution; `label` tells several of them apart. */
export function GoOn({ row, label }: Readonly<{ row: OwnContribution; label: string }>): ReactNode {
  const navigate = useNavigate();
  const way = findWayOn(row, useRole());
  if (way === undefined) return null;
  const goOn = (): void => {
    forgetLink(String(row.id));
    navigate(way.href, { state: way.state });
  };
  return (
    <Button icon={ArrowRight} aria-label={label} onClick={goOn}>
      {texts.goOn}
    </Button>
  );
}

export function useRole(): Role | null {
  const session = useSession();
  return session.status === 'signed-in' && session.role.status === 'known' ? session.role.role : null;
}

const LIST = new Intl.ListFormat('de', { type: 'conjunction' });

/** What a contribution still lacks, as a list in words. */
export function describeMissing(row: OwnContribution): string {
  return texts.missing.list(LIST.format([...listMaterial(row), texts.missing.contact]));
}

function listMaterial({ kind, files, transcript }: OwnContribution): readonly string[] {
  const { missing } = texts;
  // What was said about a file is not the file.
  if (kind === 'video' || kind === 'image' || kind === 'document') return files > 0 ? [] : [missing[kind]];
  if (transcript) return [];
  if (kind === 'interview') return [files === 0 ? missing.conversation : missing.transcript];
  if (kind === 'voice_message') return [files === 0 ? missing.recording : missing.transcript];
  return files > 0 ? [] : [missing.files];
}

type WayOn = Readonly<{ href: string; state: FlowState }>;

/**
 * Where an unfinished contribution goes on: at the first thing it lacks, else at the contact details. In its area, or
 * in the own one of somebody whose role has changed since.
 */
export function findWayOn(row: OwnContribution, role: Role | null): WayOn | undefined {
  const begun = AREAS.find(({ id }) => id === row.area);
  if (begun === undefined) return undefined;
  const area = begun.roles.some((one) => one === role) ? begun : (ownArea(role) ?? begun);
  const way = WAYS[row.kind ?? ''];
  const state = { interviewId: String(row.id), ...(way === undefined ? {} : { way }) };
  const to = (part: string, more: FlowState = {}): WayOn => ({
    href: `${area.base}/${part}`,
    state: { ...state, ...more },
  });
  if (listMaterial(row).length === 0) return to('thank-you');
  if (row.files > 0) return row.kind === 'voice_message' ? to('transcript-edit', { transcript: '' }) : to('thank-you');
  const begin = findBeginning(row);
  return begin !== undefined && area.flows.some((flow) => flow === begin.split('/')[0]) ? to(begin) : to('thank-you');
}

/** As the flows name their ways (decision 0259). */
const WAYS: Readonly<Record<string, string>> = {
  interview: 'interview',
  voice_message: 'voice',
  video: 'video',
  image: 'image',
  document: 'document',
};

const BEGINNINGS: Readonly<Record<string, string>> = {
  voice_message: 'voice-message',
  video: 'video-upload',
  image: 'image-upload',
  document: 'document-upload',
  contributor: 'upload',
};

function findBeginning({ kind, topic }: OwnContribution): string | undefined {
  if (kind === 'interview') return topic === null ? undefined : `interview/${topic}`;
  return BEGINNINGS[kind ?? ''];
}
