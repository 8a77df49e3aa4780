import { useEffect, useState, type ReactNode } from 'react';
import type { CheckedPart, PartCheck } from '#contract/setup-parts.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { Play } from '#web/ui/screen-icons.ts';
import { setupTexts } from '../texts.ts';
import { CHECK_FAILURES, CHECK_TEXTS } from './check-texts.ts';
import { partsTexts as texts } from './texts.ts';
import { useCheck } from './use-setup-parts.ts';

export type CheckPanelProps = Readonly<{
  part: CheckedPart;
  /** Runs on the server, perhaps for another page. */
  isChecking: boolean;
  check: PartCheck | null;
}>;

/** The press that tries a part for real, and its last result. */
export function CheckPanel({ part, isChecking, check }: CheckPanelProps): ReactNode {
  const { run, isStarting, problem } = useCheck(part, check?.at);
  const { action, running, about } = CHECK_TEXTS[part];
  const isRunning = isChecking || isStarting;
  return (
    <div>
      <h3 className="font-semibold">{texts.probe}</h3>
      <p className="mt-1 mb-4 max-w-measure text-sm text-muted">{about}</p>
      <Button variant="secondary" icon={Play} busy={isRunning} busyLabel={running} onClick={run}>
        {action}
      </Button>
      {isRunning && <Running label={running} />}
      {!isRunning && check === null && problem === undefined && (
        <p className="mt-3 text-sm text-muted">{texts.untried}</p>
      )}
      <div aria-live="polite" className="not-empty:mt-4">
        {!isRunning && problem !== undefined && <Notice tone="error" title={setupTexts.problems[problem]} />}
        {!isRunning && problem === undefined && check !== null && <Result part={part} check={check} />}
      </div>
    </div>
  );
}

const SECOND_MS = 1_000;

function Running({ label }: Readonly<{ label: string }>): ReactNode {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="mt-4 max-w-measure">
      <ProgressBar label={label} visibleLabel={false} />
      <p className="tabular mt-2 text-sm text-muted">
        {seconds > 0 && <span aria-hidden>{texts.elapsed(seconds)} · </span>}
        {texts.leave}
      </p>
    </div>
  );
}

function Result({ part, check }: Readonly<{ part: CheckedPart; check: PartCheck }>): ReactNode {
  const { at, seconds, code, reason, findings } = check;
  const named = CHECK_TEXTS[part];
  return (
    <Notice
      tone={code === null ? 'good' : 'error'}
      title={code === null ? named.success(findings) : CHECK_FAILURES[code](named)}
    >
      {reason !== null && (
        <p className="mt-1">
          {texts.reason} <code className="text-sm wrap-anywhere">{reason}</code>
        </p>
      )}
      <p className="tabular mt-1 text-sm text-muted">{texts.at(at, seconds)}</p>
    </Notice>
  );
}
