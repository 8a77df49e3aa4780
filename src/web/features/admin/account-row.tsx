import { clsx } from 'clsx';
import { CircleCheck, Lock, Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Account, AccountStatus } from '#contract/accounts.ts';
import { Button } from '#web/ui/button.tsx';
import { formatDate, formatMoment } from '#web/ui/format.ts';
import { accountsTexts as texts } from './texts.ts';

type AccountRowProps = Readonly<{ account: Account; own: boolean; onManage: () => void }>;

export function AccountRow({ account, own, onManage }: AccountRowProps): ReactNode {
  const { email, role, status } = account;
  const name = email === '' ? texts.withoutEmail : email;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-6 gap-y-1 px-5 py-4 sm:px-6 md:gap-y-3 md:grid-cols-[minmax(0,2.2fr)_minmax(0,1fr)_minmax(0,1.4fr)_auto] md:items-center">
      <div className="col-span-2 mb-1 min-w-0 md:col-span-1 md:mb-0">
        <p className="font-medium break-words [overflow-wrap:anywhere]">
          {name}
          {own && (
            <span className="ml-2 inline-block rounded-sm bg-accent-wash px-1.5 text-sm font-normal text-accent-ink">
              {texts.you}
            </span>
          )}
        </p>
        <p className="mt-0.5 text-sm text-muted">{signInText(account)}</p>
      </div>
      <p className={clsx('col-start-1 md:col-start-auto', role === null && 'text-muted')}>
        <span className="sr-only">{texts.role}: </span>
        {texts.roleOf(role)}
      </p>
      <Status status={status} />
      <div className="col-start-2 row-span-2 row-start-2 self-end md:self-center md:col-start-auto md:row-span-1 md:row-start-auto">
        <Button variant="secondary" aria-label={texts.manageWhom(name)} onClick={onManage}>
          {texts.manage}
        </Button>
      </div>
    </li>
  );
}

function signInText({ status, invitedAt, lastSignInAt }: Account): string {
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
    <p className={clsx('col-start-1 flex items-center gap-2 md:col-start-auto', tone)}>
      <Icon aria-hidden className="size-4.5 shrink-0" />
      {texts.status[status]}
    </p>
  );
}
