import { type ReactNode, useCallback, useSyncExternalStore } from 'react';
import { useSession } from '#web/backend/session.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { ownerOf } from '#web/submission/outbox/worker.ts';
import { Inbox } from '#web/ui/screen-icons.ts';
import { texts } from './texts.ts';

/**
 * Says that contributions of accounts wait on this device: they are sent only while their owner is logged in, and a
 * logout does not mention them.
 */
export function OtherAccountsNotice(): ReactNode {
  const owner = ownerOf(useSession());
  return owner === undefined ? null : <Count owner={owner} />;
}

function Count({ owner }: Readonly<{ owner: string }>): ReactNode {
  const outbox = browserOutbox();
  const read = useCallback(() => outbox.getCountForOtherAccounts(owner) ?? 0, [outbox, owner]);
  const count = useSyncExternalStore(outbox.subscribe, read);
  return (
    <output className="flex items-start gap-2 text-sm text-muted empty:sr-only">
      {count > 0 && (
        <>
          <Inbox className="size-5 shrink-0" />
          {texts.otherAccounts(count)}
        </>
      )}
    </output>
  );
}
