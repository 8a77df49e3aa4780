import type { ReactNode } from 'react';
import { useUser } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { BackLink } from '#web/ui/link.tsx';
import { UserPlus } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { AccountsList } from './accounts-list.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { ManageDialog } from './manage-dialog.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { accountsTexts as texts } from './texts.ts';
import { useAccountActions, type AccountActions } from './use-account-actions.ts';
import { useAccounts } from './use-accounts.ts';

/** /admin/benutzer (D14): accounts and roles. */
export function AccountsScreen(): ReactNode {
  const own = useUser()?.id;
  const list = useAccounts();
  const actions = useAccountActions();
  const usable = list.state.status !== 'failed';
  return (
    <div className="mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-10">
      <BackLink href="/admin">{texts.back}</BackLink>
      <div className="mt-3 mb-8 flex flex-wrap items-end justify-between gap-x-8 gap-y-5">
        <div>
          <ScreenTitle>{texts.title}</ScreenTitle>
          <p className="mt-3 max-w-measure text-lg text-muted">{texts.lead}</p>
        </div>
        {usable && (
          <Button icon={<UserPlus aria-hidden className="size-5" />} onClick={() => actions.show({ kind: 'create' })}>
            {texts.create}
          </Button>
        )}
      </div>
      {usable && (
        <search className="mb-4 block max-w-md">
          <Field label={texts.search}>
            <TextInput
              type="search"
              autoComplete="off"
              spellCheck={false}
              value={list.search}
              onChange={(event) => list.setSearch(event.target.value)}
            />
          </Field>
        </search>
      )}
      {actions.message !== undefined && <div className="mb-4">{actions.message}</div>}
      <AccountsList
        state={list.state}
        own={own}
        onManage={(account) => actions.show({ kind: 'manage', account })}
        onPage={list.setPage}
        onRetry={list.reload}
      />
      <Overlays actions={actions} own={own} />
    </div>
  );
}

function Overlays({ actions, own }: Readonly<{ actions: AccountActions; own: string | undefined }>): ReactNode {
  const { overlay, busy, close, problem } = actions;
  switch (overlay.kind) {
    case 'create':
      return <CreateDialog busy={busy} problem={problem} onClose={close} onCreate={actions.create} />;
    case 'manage':
      return <ManageDialog account={overlay.account} own={overlay.account.id === own} actions={actions} />;
    case 'password':
      return <PasswordDialog email={overlay.email} password={overlay.password} onClose={close} />;
    case 'remove':
      return (
        <ConfirmDialog
          open
          tone="danger"
          title={texts.removeTitle}
          description={texts.removeText(overlay.account.email)}
          confirmLabel={texts.removeConfirm}
          onConfirm={() => actions.remove(overlay.account)}
          onCancel={close}
          problem={problem}
        />
      );
    case 'factors':
      return (
        <ConfirmDialog
          open
          tone="danger"
          title={texts.factors.removeTitle}
          description={texts.factors.removeText(overlay.account.email)}
          confirmLabel={texts.factors.removeConfirm}
          onConfirm={() => actions.removeFactors(overlay.account)}
          onCancel={close}
          problem={problem}
        />
      );
    case 'renew':
      return (
        <ConfirmDialog
          open
          title={texts.renewTitle}
          description={texts.renewText(overlay.account.email)}
          confirmLabel={texts.renewConfirm}
          onConfirm={() => actions.renew(overlay.account)}
          onCancel={close}
          problem={problem}
        />
      );
    default:
      return null;
  }
}
