import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Account, AccountAnswer, AccountChange, AccountList, NewAccount } from '#contract/accounts.ts';
import { type Accounts, AccountsError, type AccountsProblem, connectAccounts } from '#web/backend/accounts.ts';
import { useBackend, useBackendConfig } from '#web/backend/client.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { useInlineMessage } from '#web/ui/notice.tsx';
import { accountsTexts as texts } from './texts.ts';

export type AccountsState =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: AccountsProblem }>
  /** `problem`: why the last reload failed. */
  | Readonly<{ status: 'ready'; list: AccountList; problem?: AccountsProblem | undefined }>;

/** Pause after the last key before the search starts. */
const PAUSE_MS = 250;

export function useAccountsServer(): Accounts {
  const backend = useBackend();
  return useMemo(() => connectAccounts(backend), [backend]);
}

/** Loads a page of the list; the shown one stays until the next arrives. */
export function useAccounts() {
  const accounts = useAccountsServer();
  const [search, setSearch] = useState('');
  const [query, setQuery] = useState({ search: '', page: 1 });
  useEffect(() => {
    if (search === query.search) return undefined;
    const timer = setTimeout(() => setQuery({ search, page: 1 }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [search, query.search]);
  const { data, error, refetch } = useQuery({
    queryKey: ['accounts', query],
    queryFn: ({ signal }) => accounts.list(query, signal),
    placeholderData: keepPreviousData,
  });
  return {
    state: toState(data, error),
    search,
    setSearch,
    setPage: (page: number): void => setQuery((before) => ({ ...before, page })),
    reload: (): void => void refetch(),
  };
}

function toState(list: AccountList | undefined, error: Error | null): AccountsState {
  const problem = error === null ? undefined : getAccountsProblem(error);
  if (list !== undefined) return { status: 'ready', list, problem };
  return problem === undefined ? { status: 'loading' } : { status: 'failed', problem };
}

function getAccountsProblem(error: unknown): AccountsProblem {
  return error instanceof AccountsError ? error.problem : 'internal_error';
}

/** What a password that is shown belongs to: a new account, or one that there was. */
export type PasswordOf = 'created' | 'renewed';

/** The open dialog. A new password is kept only here, until the dialog closes. */
type Overlay =
  | Readonly<{ kind: 'none' | 'create' }>
  | Readonly<{ kind: 'manage' | 'remove' | 'renew' | 'factors'; account: Account }>
  | Readonly<{ kind: 'password'; of: PasswordOf; email: string; password: string }>;

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

/** `from`: the dialog it began in. Before the answer it may have been closed, and another one opened. */
type Work = Readonly<{ send: () => Promise<AccountAnswer | void>; done: Message | undefined; from: Overlay }>;

/** Runs one action at a time; each shows what was done or the password, and reloads the list. */
export function useAccountActions(): AccountActions {
  const accounts = useAccountsServer();
  const { accountMails } = useBackendConfig();
  const client = useQueryClient();
  const [message, say] = useInlineMessage();
  const [overlay, setOverlay] = useState<Overlay>(CLOSED);
  const { run, busy, error, input, reset } = useAction({
    mutationFn: ({ send }: Work) => send(),
    onSuccess: (answer, { done, from }) => {
      const shown = showPassword(from, answer ?? {});
      if (shown !== undefined || overlay === from) setOverlay(shown ?? CLOSED);
      if (done !== undefined && shown === undefined) say({ ...done, variant: 'good' });
    },
    onError: (failure, { from }) => {
      if (overlay !== from) say({ ...describeFailure(failure), variant: 'destructive' });
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ['accounts'] }),
  });
  const show = (next: Overlay): void => {
    reset();
    say();
    setOverlay(next);
  };
  const begin = (send: Work['send'], done?: Message): void => void run({ send, done, from: overlay });
  return {
    overlay,
    show,
    close: () => show(CLOSED),
    busy,
    message,
    problem: error === null || input?.from !== overlay ? undefined : describeFailure(error).description,
    create: (account) => begin(() => accounts.make(account), formatInvitation(account.email, accountMails)),
    change: ({ id, email }, change) => begin(() => accounts.change(id, change), formatChange(email, change)),
    inviteAgain: ({ id, email }) => begin(() => accounts.inviteAgain(id), formatInvitation(email, accountMails)),
    renew: ({ id }) => begin(() => accounts.renewPassword(id)),
    remove: ({ id, email }) => begin(() => accounts.remove(id), texts.toasts.removed(email)),
    removeFactors: ({ id, email }) => begin(() => accounts.removeFactors(id), texts.toasts.factorsRemoved(email)),
  };
}

function showPassword({ kind }: Overlay, { account, password }: Partial<AccountAnswer>): Overlay | undefined {
  if (password === undefined) return undefined;
  return { kind: 'password', of: kind === 'create' ? 'created' : 'renewed', email: account?.email ?? '', password };
}

function describeFailure(error: unknown): Message {
  return { title: texts.failed, description: texts.errors[getAccountsProblem(error)] };
}

function formatInvitation(email: string, mails: boolean | undefined): Message {
  return mails === false
    ? { title: texts.toasts.invitedHere, description: texts.noMails }
    : texts.toasts.invited(email);
}

function formatChange(email: string, change: AccountChange): Message {
  if ('role' in change) return texts.toasts.role(email, texts.formatRole(change.role));
  return change.locked ? texts.toasts.locked(email) : texts.toasts.unlocked(email);
}
