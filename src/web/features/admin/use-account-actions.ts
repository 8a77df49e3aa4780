import { useRef, useState } from 'react';
import type { Account, AccountAnswer, AccountChange, AccountFactors, NewAccount } from '#contract/accounts.ts';
import type { Accounts } from '#web/backend/accounts.ts';
import { useToast } from '#web/ui/toast.tsx';
import { accountsTexts as texts } from './texts.ts';
import { problemOf } from './use-accounts.ts';

/** What lies over the list. A password is here, and nowhere else, until the dialog is closed. */
type Overlay =
  | Readonly<{ kind: 'none' | 'create' }>
  | Readonly<{ kind: 'manage' | 'remove' | 'renew' | 'factors'; account: Account }>
  | Readonly<{ kind: 'password'; email: string; password: string }>;

export type AccountActions = Readonly<{
  overlay: Overlay;
  show: (overlay: Overlay) => void;
  close: () => void;
  busy: boolean;
  create: (account: NewAccount) => void;
  change: (account: Account, change: AccountChange) => void;
  inviteAgain: (account: Account) => void;
  renew: (account: Account) => void;
  remove: (account: Account) => void;
  /** The same function as long as nobody else is signed in. */
  factorsOf: (id: string) => Promise<AccountFactors>;
  removeFactors: (account: Account) => void;
}>;

const CLOSED: Overlay = { kind: 'none' };

type Message = Readonly<{ title: string; description: string }>;

/** One action at a time; each ends in a toast or with the password, and with a fresh list. */
export function useAccountActions(accounts: Accounts, reload: () => void): AccountActions {
  const toast = useToast();
  const [overlay, show] = useState<Overlay>(CLOSED);
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const run = async (work: () => Promise<AccountAnswer | void>, done: Message | undefined): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      const answer = await work();
      const { account, password } = answer ?? {};
      show(password === undefined ? CLOSED : { kind: 'password', email: account?.email ?? '', password });
      if (done !== undefined && password === undefined) toast({ ...done, variant: 'good' });
    } catch (error) {
      toast({ title: texts.failed, description: texts.faults[problemOf(error)], variant: 'destructive' });
    } finally {
      running.current = false;
      setBusy(false);
      reload();
    }
  };
  return {
    overlay,
    show,
    close: () => show(CLOSED),
    busy,
    create: (account) => void run(() => accounts.make(account), texts.toasts.invited(account.email)),
    change: ({ id, email }, change) => void run(() => accounts.change(id, change), changed(email, change)),
    inviteAgain: ({ id, email }) => void run(() => accounts.inviteAgain(id), texts.toasts.invited(email)),
    renew: ({ id }) => void run(() => accounts.renewPassword(id), undefined),
    remove: ({ id, email }) => void run(() => accounts.remove(id), texts.toasts.removed(email)),
    factorsOf: accounts.factors,
    removeFactors: ({ id, email }) => void run(() => accounts.removeFactors(id), texts.toasts.factorsRemoved(email)),
  };
}

function changed(email: string, change: AccountChange): Message {
  if ('role' in change) return texts.toasts.role(email, texts.roleOf(change.role));
  return change.locked ? texts.toasts.locked(email) : texts.toasts.unlocked(email);
}
