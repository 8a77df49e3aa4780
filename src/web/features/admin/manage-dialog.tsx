import { KeyRound, Lock, LockOpen, Send, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Account } from '#contract/accounts.ts';
import { isRole } from '#contract/roles.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { FactorsPart } from './factors-part.tsx';
import { RoleSelect } from './role-select.tsx';
import { accountsTexts as texts } from './texts.ts';
import type { AccountActions } from './use-account-actions.ts';

type ManageDialogProps = Readonly<{ account: Account; own: boolean; actions: AccountActions }>;

/** Everything that can be done to one account. */
export function ManageDialog({ account, own, actions }: ManageDialogProps): ReactNode {
  const name = account.email === '' ? texts.withoutEmail : account.email;
  return (
    <Dialog open onOpenChange={(next) => !next && actions.close()} title={name}>
      {own ? (
        <Notice>{texts.own}</Notice>
      ) : (
        <div className="flex flex-col gap-6">
          <RoleForm account={account} actions={actions} />
          <FactorsPart account={account} actions={actions} />
          <Deeds account={account} actions={actions} />
        </div>
      )}
    </Dialog>
  );
}

function RoleForm({ account, actions }: Omit<ManageDialogProps, 'own'>): ReactNode {
  const before = isRole(account.role) ? account.role : undefined;
  const [role, setRole] = useState(before);
  return (
    <form
      className="flex flex-col gap-3 sm:flex-row sm:items-end"
      onSubmit={(event) => {
        event.preventDefault();
        if (role !== undefined && role !== before) actions.change(account, { role });
      }}
    >
      <div className="flex-1">
        <Field label={texts.role}>
          <RoleSelect value={role} onChange={setRole} />
        </Field>
      </div>
      <Button type="submit" disabled={role === before} busy={actions.busy} busyLabel={texts.working}>
        {texts.saveRole}
      </Button>
    </form>
  );
}

function Deeds({ account, actions }: Omit<ManageDialogProps, 'own'>): ReactNode {
  const locked = account.status === 'locked';
  const off = actions.busy;
  const Bolt = locked ? LockOpen : Lock;
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-6">
      {account.status === 'invited' && (
        <Button
          variant="secondary"
          wide
          disabled={off}
          icon={<Send aria-hidden className="size-5" />}
          onClick={() => actions.inviteAgain(account)}
        >
          {texts.inviteAgain}
        </Button>
      )}
      <Button
        variant="secondary"
        wide
        disabled={off}
        icon={<KeyRound aria-hidden className="size-5" />}
        onClick={() => actions.show({ kind: 'renew', account })}
      >
        {texts.renew}
      </Button>
      <Button
        variant="secondary"
        wide
        disabled={off}
        icon={<Bolt aria-hidden className="size-5" />}
        onClick={() => actions.change(account, { locked: !locked })}
      >
        {locked ? texts.unlock : texts.lock}
      </Button>
      <p className="mb-3 text-sm text-muted">{texts.lockHint}</p>
      <Button
        variant="danger"
        wide
        disabled={off}
        icon={<Trash2 aria-hidden className="size-5" />}
        onClick={() => actions.show({ kind: 'remove', account })}
      >
        {texts.remove}
      </Button>
    </div>
  );
}
