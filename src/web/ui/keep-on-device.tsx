import { HardDriveDownload } from './icons.tsx';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Link } from './link.tsx';
import { Notice } from './notice.tsx';
import { uiTexts } from './texts.ts';

export type KeepOnDeviceProps = Readonly<{
  state: 'offered' | 'saving' | 'kept' | 'full';
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
  const full = state === 'full';
  const action = (
    <Button
      variant="secondary"
      busy={state === 'saving'}
      busyLabel={texts.saving}
      icon={<HardDriveDownload aria-hidden className="size-5" />}
      onClick={onKeep}
    >
      {full ? uiTexts.retry : texts.action}
    </Button>
  );
  return (
    <Notice tone={full ? 'error' : 'info'} title={full ? texts.fullTitle : texts.title} live={full} action={action}>
      {full ? texts.full : texts.text}
    </Notice>
  );
}
