import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { Account, AccountList, AccountStatus } from '#contract/accounts.ts';
import type { AccountsProblem } from '#web/backend/accounts.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { Button, RetryButton } from '#web/ui/button.tsx';
import { formatDate, formatMoment } from '#web/ui/format.ts';
import { CircleCheck } from '#web/ui/icons.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ChevronLeft, ChevronRight, Lock, Mail } from '#web/ui/screen-icons.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { accountsTexts as texts } from './texts.ts';
import type { AccountsState } from './use-accounts.ts';

export type AccountsListProps = Readonly<{
  state: AccountsState;
  /** Account id of the administrator who is signed in. */
  own: string | undefined;
  onManage: (account: Account) => void;
  onPage: (page: number) => void;
  onRetry: () => void;
}>;

export function AccountsList({ state, own, onManage, onPage, onRetry }: AccountsListProps): ReactNode {
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'failed') return <Failed problem={state.problem} onRetry={onRetry} />;
  const { accounts, total } = state.list;
  return (
    <>
      {state.problem !== undefined && (
        <div className="mb-4">
          <Failed problem={state.problem} onRetry={onRetry} />
        </div>
      )}
      <output className="tabular mb-2 block text-sm text-muted">{texts.found(total)}</output>
      {accounts.length === 0 ? (
        <EmptyState drawing="search" title={texts.nobody}>
          {texts.nobodyText}
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line rounded-card border border-line bg-surface">
          {accounts.map((account) => (
            <AccountRow
              key={account.id}
              account={account}
              own={account.id === own}
              onManage={() => onManage(account)}
            />
          ))}
        </ul>
      )}
      <Pages list={state.list} onPage={onPage} />
    </>
  );
}

function Pages({ list, onPage }: Readonly<{ list: AccountList; onPage: (page: number) => void }>): ReactNode {
  const { total, page, perPage } = list;
  const last = Math.max(1, Math.ceil(total / perPage));
  if (last === 1) return null;
  return (
    <nav aria-label={texts.pages} className="mt-5 flex flex-wrap items-center justify-between gap-3">
      <Button variant="secondary" idle={page === 1} icon={ChevronLeft} onClick={() => onPage(page - 1)}>
        {texts.previous}
      </Button>
      <span className="tabular order-first w-full text-center text-muted sm:order-none sm:w-auto">
        {texts.page(page, last)}
      </span>
      <Button variant="secondary" idle={page === last} icon={ChevronRight} onClick={() => onPage(page + 1)}>
        {texts.next}
      </Button>
    </nav>
  );
}

function Loading(): ReactNode {
  return (
    <div className="rounded-card border border-line bg-surface px-5 py-4 sm:px-6">
      <output className="text-muted">{texts.loading}</output>
      {[0, 1, 2].map((row) => (
        <Skeleton key={row} className="mt-4 h-12 w-full" />
      ))}
    </div>
  );
}

function Failed({ problem, onRetry }: Readonly<{ problem: AccountsProblem; onRetry: () => void }>): ReactNode {
  if (problem === 'not_configured') {
    return (
      <Notice tone="caution" title={texts.notConfiguredTitle} live>
        {texts.notConfigured}
      </Notice>
    );
  }
  return <Notice tone="error" live title={texts.errors[problem]} action={<RetryButton onClick={onRetry} />} />;
}

type AccountRowProps = Readonly<{ account: Account; own: boolean; onManage: () => void }>;

function AccountRow({ account, own, onManage }: AccountRowProps): ReactNode {
  const { email, role, status } = account;
  const name = email === '' ? texts.withoutEmail : email;
  return (
    <li
      className={clsx(
        'flex flex-wrap items-center gap-x-6 gap-y-1 px-5 py-4 sm:px-6 md:grid md:gap-y-3',
        'md:grid-cols-[minmax(0,2.2fr)_minmax(0,1fr)_minmax(0,1.4fr)_auto]',
      )}
    >
      <div className="mb-1 w-full min-w-0 md:mb-0">
        <p className="font-medium break-words [overflow-wrap:anywhere]">
          <Breakable text={name} />
          {own && (
            <span className="ml-2 inline-block rounded-sm bg-accent-wash px-1.5 text-sm font-normal text-accent-ink">
              {texts.you}
            </span>
          )}
        </p>
        <p className="mt-0.5 text-sm text-muted">{formatSignIn(account)}</p>
      </div>
      <p className={clsx('w-full', role === null && 'text-muted')}>
        <span className="sr-only">{texts.role}: </span>
        {texts.formatRole(role)}
      </p>
      <Status status={status} />
      <div className="ml-auto">
        <Button variant="secondary" aria-label={texts.manageAccount(name)} onClick={onManage}>
          {texts.manage}
        </Button>
      </div>
    </li>
  );
}

function formatSignIn({ status, invitedAt, lastSignInAt }: Account): string {
  if (status === 'invited' && invitedAt !== null) return `${texts.invitedOn} ${formatDate(invitedAt)}`;
  return `${texts.lastSignIn}: ${lastSignInAt === null ? texts.never : formatMoment(lastSignInAt)}`;
}

const LOOK = {
  active: { icon: CircleCheck, tone: 'text-good-ink' },
  invited: { icon: Mail, tone: 'text-accent-ink' },
  locked: { icon: Lock, tone: 'text-record-ink' },
} as const;

function Status({ status }: Readonly<{ status: AccountStatus }>): ReactNode {
  const { icon: Icon, tone } = LOOK[status];
  return (
    <p className={clsx('flex items-center gap-2', tone)}>
      <Icon className="size-4.5 shrink-0" />
      {texts.status[status]}
    </p>
  );
}
