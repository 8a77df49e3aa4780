import { Inbox } from '#web/ui/icons.tsx';
import type { ReactNode } from 'react';
import { useSession } from '#web/backend/session.ts';
import { statusOfEntry } from '#web/submission/outbox/entry.ts';
import { useOutbox } from '#web/submission/outbox/outbox.ts';
import { Anchor } from '#web/ui/link.tsx';
import { appTexts } from '../texts.ts';
import { OutboxCourier, ownerOf } from './outbox-courier.tsx';

/** How many contributions wait on this device; nothing where none does. */
export function OutboxBadge(): ReactNode {
  const owner = ownerOf(useSession());
  return (
    <>
      <OutboxCourier />
      {owner !== undefined && <Count owner={owner} />}
    </>
  );
}

function Count({ owner }: Readonly<{ owner: string }>): ReactNode {
  const waiting = useOutbox(owner).entries.filter((entry) => statusOfEntry(entry) !== 'sent').length;
  if (waiting === 0) return null;
  const label = appTexts.outbox(waiting);
  return (
    <Anchor
      href="/ausgangskorb"
      title={label}
      aria-label={label}
      className="touch relative inline-flex items-center justify-center rounded-control px-2 hover:bg-sunken"
    >
      <Inbox aria-hidden className="size-5" />
      <span
        aria-hidden
        className="tabular absolute top-0.5 right-0 min-w-4.5 rounded-full bg-accent px-1 text-center text-xs/4.5 font-semibold text-on-accent"
      >
        {waiting}
      </span>
    </Anchor>
  );
}
