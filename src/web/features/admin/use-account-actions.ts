import { useRef, useState } from 'react';
import type { Account, AccountAnswer, AccountChange, AccountFactors, NewAccount } from '#contract/accounts.ts';
import type { Accounts } from '#web/backend/accounts.ts';
import { useToast } from '#web/ui/toast.tsx';
import { accountsTexts as texts } from './texts.ts';
import { getAccountsProblem } from './use-accounts.ts';

/** The open dialog. A new password is kept only here, until the dialog closes. */
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
  /** Keeps its identity during a session. */
  loadFactors: (id: string) => Promise<AccountFactors>;
  removeFactors: (account: Account) => void;
}>;

const CLOSED: Overlay = { kind: 'none' };

type Message = Readonly<{ title: string; description: string }>;

/** Runs one action at a time; each shows a toast or the password and reloads the list. */
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
      toast({ title: texts.failed, description: texts.errors[getAccountsProblem(error)], variant: 'destructive' });
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
    loadFactors: accounts.factors,
    removeFactors: ({ id, email }) => void run(() => accounts.removeFactors(id), texts.toasts.factorsRemoved(email)),
  };
}

function changed(email: string, change: AccountChange): Message {
  if ('role' in change) return texts.toasts.role(email, texts.formatRole(change.role));
  return change.locked ? texts.toasts.locked(email) : texts.toasts.unlocked(email);
}
