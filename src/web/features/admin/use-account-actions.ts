import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Account, AccountAnswer, AccountChange, NewAccount } from '#contract/accounts.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { useInlineMessage } from '#web/ui/inline-message.tsx';
import { accountsTexts as texts } from './texts.ts';
import { getAccountsProblem, useAccountsServer } from './use-accounts.ts';

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
  /** What was done, for the list. */
  message: ReactNode;
  /** Why the action of the open dialog failed. */
  problem: string | undefined;
  create: (account: NewAccount) => void;
  change: (account: Account, change: AccountChange) => void;
  inviteAgain: (account: Account) => void;
  renew: (account: Account) => void;
  remove: (account: Account) => void;
  removeFactors: (account: Account) => void;
}>;

const CLOSED: Overlay = { kind: 'none' };

type Message = Readonly<{ title: string; description: string }>;

type Work = Readonly<{ send: () => Promise<AccountAnswer | void>; done: Message | undefined }>;

/** Runs one action at a time; each shows what was done or the password, and reloads the list. */
export function useAccountActions(): AccountActions {
  const accounts = useAccountsServer();
  const client = useQueryClient();
  const [message, say] = useInlineMessage();
  const [overlay, setOverlay] = useState<Overlay>(CLOSED);
  const { run, busy, error, reset } = useAction({
    mutationFn: ({ send }: Work) => send(),
    onSuccess: (answer, { done }) => {
      const { account, password } = answer ?? {};
      setOverlay(password === undefined ? CLOSED : { kind: 'password', email: account?.email ?? '', password });
      if (done !== undefined && password === undefined) say({ ...done, variant: 'good' });
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ['accounts'] }),
  });
  const show = (next: Overlay): void => {
    reset();
    say();
    setOverlay(next);
  };
  const begin = (send: Work['send'], done?: Message): void => void run({ send, done });
  return {
    overlay,
    show,
    close: () => show(CLOSED),
    busy,
    message,
    problem: error === null ? undefined : texts.errors[getAccountsProblem(error)],
    create: (account) => begin(() => accounts.make(account), texts.toasts.invited(account.email)),
    change: ({ id, email }, change) => begin(() => accounts.change(id, change), formatChange(email, change)),
    inviteAgain: ({ id, email }) => begin(() => accounts.inviteAgain(id), texts.toasts.invited(email)),
    renew: ({ id }) => begin(() => accounts.renewPassword(id)),
    remove: ({ id, email }) => begin(() => accounts.remove(id), texts.toasts.removed(email)),
    removeFactors: ({ id, email }) => begin(() => accounts.removeFactors(id), texts.toasts.factorsRemoved(email)),
  };
}

function formatChange(email: string, change: AccountChange): Message {
  if ('role' in change) return texts.toasts.role(email, texts.formatRole(change.role));
  return change.locked ? texts.toasts.locked(email) : texts.toasts.unlocked(email);
}
