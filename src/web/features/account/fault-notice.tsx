import type { ReactNode } from 'react';
import type { AccountFault } from '#web/backend/own-account.ts';
import { Notice } from '#web/ui/notice.tsx';
import { accountTexts } from './texts.ts';

export function FaultNotice({ fault }: Readonly<{ fault: AccountFault | undefined }>): ReactNode {
  if (fault === undefined) return null;
  return (
    <Notice tone={fault === 'cancelled' ? 'info' : 'error'} live>
      {accountTexts.faults[fault]}
    </Notice>
  );
}
