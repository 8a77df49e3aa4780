import { clsx } from 'clsx';
import { type ReactNode, useState } from 'react';
import {
  CHECKED_PARTS,
  type CheckedPart,
  type PartState,
  type SetupPartName,
  type SetupParts,
} from '#contract/setup-parts.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Facts } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Check, ChevronDown, type Icon, TriangleAlert } from '#web/ui/icons.tsx';
import { CircleDashed } from '#web/ui/screen-icons.ts';
import { TranscriptionPart } from '../transcription/transcription-part.tsx';
import { CheckPanel } from './check-panel.tsx';
import { PART_TEXTS, partsTexts } from './texts.ts';
import { PART_ORDER } from './use-setup-parts.ts';

export type PartListProps = Readonly<{
  parts: SetupParts;
  open: ReadonlySet<string>;
  onToggle: (part: SetupPartName) => void;
}>;

export function PartList({ parts, open, onToggle }: PartListProps): ReactNode {
  return (
    <ul aria-label={partsTexts.list} className="overflow-hidden rounded-card border border-line bg-surface">
      {PART_ORDER.map((name) => (
        <PartRow key={name} name={name} parts={parts} open={open.has(name)} onToggle={() => onToggle(name)} />
      ))}
    </ul>
  );
}

type RowProps<Name extends SetupPartName> = Readonly<{
  name: Name;
  parts: SetupParts;
  open: boolean;
  onToggle: () => void;
}>;

function PartRow<Name extends SetupPartName>({ name, parts, open, onToggle }: RowProps<Name>): ReactNode {
  const part: SetupParts[Name] = parts[name];
  const texts = PART_TEXTS[name];
  const facts = texts.facts(part);
  return (
    <SetupPart
      name={name}
      title={texts.title}
      text={texts.describe(part)}
      state={part.state}
      open={open}
      onToggle={onToggle}
    >
      <div className="flex flex-col gap-8">
        {facts.length > 0 && (
          <dl className="tabular grid gap-x-8 gap-y-3 sm:grid-cols-2">
            <Facts facts={facts} />
          </dl>
        )}
        {name === 'transcription' && <TranscriptionPart />}
        {isChecked(name) && isConfigured(name, parts) && <CheckPanel part={name} {...parts[name]} />}
        <HowTo how={texts.how} lines={texts.lines} docs={texts.docs} />
      </div>
    </SetupPart>
  );
}

function isChecked(name: SetupPartName): name is CheckedPart {
  return CHECKED_PARTS.some((part) => part === name);
}

/** Whether there is something to try, even where more is missing. */
function isConfigured(name: CheckedPart, parts: SetupParts): boolean {
  switch (name) {
    case 'address':
      return parts.address.publicUrl !== null;
    case 'storage':
      return parts.storage.state !== 'missing';
    case 'voice':
      return parts.voice.host !== null && !parts.voice.lacks.includes('VOICE_AGENT_IDS');
    case 'backup':
      return parts.backup.last !== null;
    case 'retention':
      return parts.retention.days !== null;
    case 'second-factors':
      return true;
    default:
      return parts[name].host !== null;
  }
}

type HowToProps = Readonly<{
  how: string;
  lines: readonly string[];
  /** File and heading in the project's documentation. */
  docs: string;
}>;

/** How to switch a part on: what to do, and lines to copy. */
function HowTo({ how, lines, docs }: HowToProps): ReactNode {
  const isEnvironment = lines.every((line) => /^[A-Z][\dA-Z_]*=/.test(line));
  return (
    <div>
      <h3 className="font-semibold">{partsTexts.how}</h3>
      <p className="mt-1 max-w-measure">{how}</p>
      <ul className="mt-3 divide-y divide-line rounded-control border border-line bg-sunken">
        {lines.map((line) => (
          <Line key={line} line={line} />
        ))}
      </ul>
      {isEnvironment && <p className="mt-2 max-w-measure text-sm text-muted">{partsTexts.restart}</p>}
      <p className="mt-2 text-sm text-muted">
        {partsTexts.docs} <code className="wrap-anywhere text-ink">{docs}</code>
      </p>
    </div>
  );
}

function Line({ line }: Readonly<{ line: string }>): ReactNode {
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 py-1 pr-1 pl-4">
      <code className="min-w-0 flex-1 py-2 text-sm wrap-anywhere">{line}</code>
      <CopyButton compact text={line} label={partsTexts.copy(line)} failed={partsTexts.copyFailed} />
    </li>
  );
}

type SetupPartProps = Readonly<{
  /** In the address, after '#'. */
  name: string;
  title: string;
  /** One line under the title. */
  text: string;
  state: PartState;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}>;

/** One part: a row that opens. Once opened its content stays, so that what was begun in it goes on. */
function SetupPart({ name, title, text, state, open, onToggle, children }: SetupPartProps): ReactNode {
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  return (
    <li id={name} className="scroll-mt-6 border-t border-line first:border-t-0">
      <h2>
        <button
          type="button"
          id={`${name}-head`}
          aria-expanded={open}
          aria-controls={`${name}-content`}
          onClick={onToggle}
          className="touch flex w-full items-start gap-3 p-4 text-left transition-colors hover:bg-sunken sm:p-5"
        >
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <span className="text-lg font-semibold">{title}</span>
              <StateBadge state={state} />
            </span>
            <span className="mt-1 block max-w-measure font-normal wrap-anywhere text-muted">{text}</span>
          </span>
          <ChevronDown className={clsx('mt-1 size-5 shrink-0 text-muted', open && 'rotate-180')} />
        </button>
      </h2>
      <section
        id={`${name}-content`}
        aria-labelledby={`${name}-head`}
        hidden={!open}
        className="px-4 pt-1 pb-6 sm:px-5"
      >
        {wasOpen && children}
      </section>
    </li>
  );
}

const LOOK: Readonly<Record<PartState, Readonly<{ tone: BadgeTone; icon: Icon }>>> = {
  ready: { tone: 'good', icon: Check },
  missing: { tone: 'neutral', icon: CircleDashed },
  broken: { tone: 'record', icon: TriangleAlert },
};

function StateBadge({ state }: Readonly<{ state: PartState }>): ReactNode {
  const { tone, icon: StateIcon } = LOOK[state];
  return (
    <Badge tone={tone} icon={StateIcon}>
      {partsTexts.states[state]}
    </Badge>
  );
}
