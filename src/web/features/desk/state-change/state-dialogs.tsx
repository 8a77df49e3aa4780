import type { ReactNode } from 'react';
import { LinkDialog } from './link-dialog.tsx';
import { MailDialog } from './mail-dialog.tsx';
import type { StateChange } from './use-state-change.ts';

/** What has to be asked before a state changes. */
export function StateDialogs({ changes }: Readonly<{ changes: StateChange }>): ReactNode {
  const { asking } = changes;
  switch (asking.kind) {
    case 'mail':
      return <MailDialog item={asking.item} changes={changes} />;
    case 'link':
      return <LinkDialog item={asking.item} changes={changes} />;
    default:
      return null;
  }
}
