import { HardDriveDownload } from './icons.tsx';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Link } from './link.tsx';
import { Notice } from './notice.tsx';
import { uiTexts } from './texts.ts';

/** `full`: the device has no space. `unreadable` is the name of a file that the device no longer gives. */
type KeepState = 'offered' | 'saving' | 'kept' | 'full' | 'failed' | Readonly<{ unreadable: string }>;

export type KeepOnDeviceProps = Readonly<{
  state: KeepState;
  onKeep: () => void;
  /** Where the user finds it again. */
  outboxHref: string;
}>;

/** Offers to keep a contribution on this device until it can be sent. */
export function KeepOnDevice({ state, onKeep, outboxHref }: KeepOnDeviceProps): ReactNode {
  const texts = uiTexts.keep;
  if (state === 'kept') {
    return (
      <Notice tone="good" title={texts.keptTitle} live>
        {texts.kept} <Link href={outboxHref}>{texts.toOutbox}</Link>
      </Notice>
    );
  }
  const problem = describeProblem(state);
  const failed = problem !== undefined;
  const action = (
    <Button
      variant="secondary"
      busy={state === 'saving'}
      busyLabel={texts.saving}
      icon={HardDriveDownload}
      onClick={onKeep}
    >
      {failed ? uiTexts.retry : texts.action}
    </Button>
  );
  return (
    <Notice
      tone={failed ? 'error' : 'info'}
      title={failed ? texts.notKeptTitle : texts.title}
      live={failed}
      action={action}
    >
      {problem ?? texts.text}
    </Notice>
  );
}

function describeProblem(state: KeepState): string | undefined {
  if (typeof state === 'object') return uiTexts.keep.unreadable(state.unreadable);
  return state === 'full' || state === 'failed' ? uiTexts.keep[state] : undefined;
}
