import type { ReactNode } from 'react';
import { CHECKED_PARTS, type CheckedPart, type SetupPartName, type SetupParts } from '#contract/setup-parts.ts';
import { SetupPart } from '../setup-part.tsx';
import { TranscriptionPart } from '../transcription/transcription-part.tsx';
import { CheckPanel } from './check-panel.tsx';
import { HowTo } from './how-to.tsx';
import { PART_ORDER } from './next-step.ts';
import { PART_TEXTS, partsTexts, type Fact } from './texts.ts';

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
        <Facts facts={texts.facts(part)} />
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

function Facts({ facts }: Readonly<{ facts: readonly Fact[] }>): ReactNode {
  if (facts.length === 0) return null;
  return (
    <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="tabular wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
