import { clsx } from 'clsx';
import type { ReactNode, RefCallback } from 'react';
import { useBackendConfig } from '#web/backend/client.ts';
import type { DeskProblem } from '#web/backend/desk.ts';
import { RetryButton } from '#web/ui/button.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { ArrowUp } from '#web/ui/screen-icons.ts';
import { deskTexts as texts } from './texts.ts';
import { MAX_NEW_ITEMS } from './use-list-updates.ts';

/** Says why a request failed and offers a retry. */
export function ProblemNotice({
  problem,
  onRetry,
}: Readonly<{ problem: DeskProblem; onRetry?: () => void }>): ReactNode {
  const [, what = '', then = ''] = /^(.*?[.:])(?: (.*))?$/.exec(texts.problems[problem]) ?? [];
  const retry = onRetry === undefined ? undefined : <RetryButton onClick={onRetry} />;
  return (
    <Notice tone="error" live title={what} action={retry}>
      {then === '' ? undefined : then}
    </Notice>
  );
}

/** Says that the list may be out of date. */
export function ConnectionLostNotice(): ReactNode {
  return (
    <Notice tone="caution" title={texts.connectionLostTitle} live className="mb-3">
      {texts.connectionLost}
    </Notice>
  );
}

/** Says that this server has no mail server, so its mails stay files. */
export function NoMailServerNotice(): ReactNode {
  const { deskMails, mailServer } = useBackendConfig();
  return deskMails !== false && mailServer === false && <Notice tone="caution">{texts.noMailServer}</Notice>;
}

/** Counts new items and shows them on demand, so that rows do not move under the pointer. */
export function NewItemsNotice({
  count,
  button,
  onShow,
}: Readonly<{ count: number; button: RefCallback<HTMLButtonElement>; onShow: () => void }>): ReactNode {
  return (
    <output className="block">
      {count > 0 && (
        <button
          ref={button}
          type="button"
          onClick={onShow}
          className={clsx(
            'animate-rise touch mb-3 flex w-full items-center justify-center gap-2 rounded-control bg-accent-wash',
            'px-4 font-medium text-accent-ink transition-colors hover:bg-accent hover:text-on-accent',
          )}
        >
          <ArrowUp className="size-4.5" />
          {texts.newItems(count < MAX_NEW_ITEMS ? formatNumber(count) : `${formatNumber(count)}+`, count === 1)}
        </button>
      )}
    </output>
  );
}
