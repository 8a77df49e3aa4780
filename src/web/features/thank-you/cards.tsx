import { type ReactNode, useMemo, useRef, useState } from 'react';
import { encode } from 'uqr';
import { useBackendConfig } from '#web/backend/client.ts';
import { downloadBlob, getFileName, getKind } from '#web/submission/file-name.ts';
import { Button, RetryButton } from '#web/ui/button.tsx';
import { ScrollBox, SectionCard } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/form-fields.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { formatDate, getDeletionDate } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { Download, QrCode as QrIcon } from '#web/ui/screen-icons.ts';
import type { Contribution, Summary } from './contribution.ts';
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
      <dl className="grid grid-cols-1 gap-x-6 gap-y-4 sm:grid-cols-3">
        {rows.map(([name, value]) => (
          <div key={name} className="flex flex-wrap items-baseline justify-between gap-x-4 sm:block">
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

export function FilesCard({ contribution }: Readonly<{ contribution: Contribution }>): ReactNode {
  const { status, files, reload } = contribution;
  const here = status === 'here';
  return (
    <SectionCard title={here && files.length > 0 ? texts.filesHere : texts.filesTitle}>
      {status === 'failed' && (
        <Notice tone="caution" live action={<RetryButton onClick={reload} />}>
          {texts.filesFailed}
        </Notice>
      )}
      {files.length > 0 && (
        <ul className="flex flex-col gap-2">
          {files.map((file) => (
            <FileRow
              key={file.path}
              name={getFileName(file)}
              detail={texts.kinds[getKind(file.type)]}
              state={here ? 'waiting' : 'done'}
            />
          ))}
        </ul>
      )}
      {files.length === 0 && status === 'loading' && <output className="text-muted">{texts.filesLoading}</output>}
      {files.length === 0 && (here || status === 'ready') && <p className="text-muted">{texts.noFiles}</p>}
    </SectionCard>
  );
}

const TEXT = 'text/plain;charset=utf-8';

/**
 * §2.11: a scrollable box of about 16rem; it takes the focus, so that the keyboard can scroll it. The download comes
 * from memory, as the key of the contribution may have ended.
 */
export function TranscriptCard({ transcript }: Readonly<{ transcript: string }>): ReactNode {
  return (
    <SectionCard
      title={texts.transcriptTitle}
      action={
        <Button
          variant="secondary"
          icon={Download}
          onClick={() => downloadBlob(new Blob([transcript], { type: TEXT }), texts.transcriptFile)}
        >
          {texts.downloadTranscript}
        </Button>
      }
    >
      <ScrollBox label={texts.transcriptTitle} className="max-h-64 max-w-measure bg-sunken whitespace-pre-wrap">
        {transcript}
      </ScrollBox>
    </SectionCard>
  );
}

/** D9: hands the contribution to people without a login. */
export function ShareCard({ link }: Readonly<{ link: string }>): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState(false);
  return (
    <SectionCard title={texts.shareTitle}>
      <p className="mb-5 max-w-measure text-muted">{texts.shareLead}</p>
      <Field label={texts.shareLink}>
        <TextInput ref={input} readOnly value={link} onFocus={(event) => event.target.select()} />
      </Field>
      <div className="mt-4 flex flex-wrap gap-2">
        <CopyButton text={link} label={texts.copy} failed={texts.copyFailed} onFailed={() => input.current?.select()} />
        <Button variant="quiet" icon={QrIcon} aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? texts.hideQr : texts.showQr}
        </Button>
      </div>
      {shown && (
        <div className="mt-4">
          <QrCode value={link} label={texts.qr} />
        </div>
      )}
    </SectionCard>
  );
}

const BORDER = 2;

/** Black on white in both themes: cameras need it. Drawn as one path, without any markup from a string. */
function QrCode({ value, label }: Readonly<{ value: string; label: string }>): ReactNode {
  const { size, path } = useMemo(() => {
    const code = encode(value, { ecc: 'M', border: BORDER });
    const squares = code.data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
    return { size: code.size, path: squares.join('') };
  }, [value]);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} className="w-full max-w-56 rounded-control">
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" shapeRendering="crispEdges" />
    </svg>
  );
}
