import { ChevronLeft, ChevronRight, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Account, AccountList } from '#contract/accounts.ts';
import type { AccountsProblem } from '#web/backend/accounts.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { EmptyState } from '#web/ui/state-screens.tsx';
import { AccountRow } from './account-row.tsx';
import { accountsTexts as texts } from './texts.ts';
import type { AccountsState } from './use-accounts.ts';

export type AccountsListProps = Readonly<{
  state: AccountsState;
  /** Id of whoever looks. */
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
      <output className="tabular mb-2 block text-sm text-muted">{texts.found(total)}</output>
      {accounts.length === 0 ? (
        <EmptyState icon={<SearchX aria-hidden className="size-8" />} title={texts.nobody}>
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
      <Button
        variant="secondary"
        disabled={page === 1}
        icon={<ChevronLeft aria-hidden className="size-5" />}
        onClick={() => onPage(page - 1)}
      >
        {texts.previous}
      </Button>
      <span className="tabular order-first w-full text-center text-muted sm:order-none sm:w-auto">
        {texts.page(page, last)}
      </span>
      <Button
        variant="secondary"
        disabled={page === last}
        icon={<ChevronRight aria-hidden className="size-5" />}
        onClick={() => onPage(page + 1)}
      >
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
  return (
    <Notice
      tone="error"
      live
      title={texts.faults[problem]}
      action={
        <Button variant="secondary" onClick={onRetry}>
          {texts.retry}
        </Button>
      }
    />
  );
}
