import { useQuery } from '@tanstack/react-query';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import * as z from 'zod/mini';
import type { Account, AccountFactors } from '#contract/accounts.ts';
import { isRole, ROLES } from '#contract/roles.ts';
import { Button, RetryButton } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field, Select } from '#web/ui/field.tsx';
import { formatDate } from '#web/ui/format.ts';
import type { Icon } from '#web/ui/icons.tsx';
import { Notice, StepMessage } from '#web/ui/notice.tsx';
import { KeyRound, Lock, LockOpen, Send, ShieldOff, Trash2 } from '#web/ui/screen-icons.ts';
import { useForm } from '#web/ui/use-form.ts';
import { accountsTexts as texts } from './texts.ts';
import { type AccountActions, useAccountsServer } from './use-accounts.ts';

type ManageDialogProps = Readonly<{ account: Account; own: boolean; actions: AccountActions }>;

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
          <Actions account={account} actions={actions} />
          {actions.problem !== undefined && (
            <StepMessage
              message={{ id: 0, title: texts.failed, description: actions.problem, variant: 'destructive' }}
            />
          )}
        </div>
      )}
    </Dialog>
  );
}

const RoleChange = z.object({ role: z.enum(ROLES, texts.roleProblem) });

function RoleForm({ account, actions }: Omit<ManageDialogProps, 'own'>): ReactNode {
  const before = isRole(account.role) ? account.role : undefined;
  const { submit, field, formState } = useForm(RoleChange, before === undefined ? {} : { role: before }, ({ role }) =>
    actions.change(account, { role }),
  );
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3 sm:flex-row sm:items-end">
      <div className="flex-1">
        <RoleField {...field('role')} />
      </div>
      <Button type="submit" idle={!formState.isDirty} busy={actions.busy} busyLabel={texts.working}>
        {texts.saveRole}
      </Button>
    </form>
  );
}

function Actions({ account, actions }: Omit<ManageDialogProps, 'own'>): ReactNode {
  const locked = account.status === 'locked';
  const offer = (icon: Icon, label: string, act: () => void, variant: 'secondary' | 'danger' = 'secondary') => (
    <Button variant={variant} wide idle={actions.busy} icon={icon} onClick={act}>
      {label}
    </Button>
  );
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-6">
      {account.status === 'invited' && offer(Send, texts.inviteAgain, () => actions.inviteAgain(account))}
      {offer(KeyRound, texts.renew, () => actions.show({ kind: 'renew', account }))}
      {offer(locked ? LockOpen : Lock, locked ? texts.unlock : texts.lock, () =>
        actions.change(account, { locked: !locked }),
      )}
      <p className="mb-3 text-sm text-muted">{texts.lockHint}</p>
      {offer(Trash2, texts.remove, () => actions.show({ kind: 'remove', account }), 'danger')}
    </div>
  );
}

const factorTexts = texts.factors;

/** Lists the second factors and removes them for a person who lost them. */
function FactorsPart({ account, actions }: Readonly<{ account: Account; actions: AccountActions }>): ReactNode {
  const accounts = useAccountsServer();
  const { data, isFetching, refetch } = useQuery({
    queryKey: ['accounts', account.id, 'factors'],
    queryFn: ({ signal }) => accounts.factors(account.id, signal),
  });
  return (
    <section className="border-t border-line pt-6">
      <h3 className="font-medium">{factorTexts.title}</h3>
      {data === undefined && isFetching && <output className="mt-1 block text-muted">{factorTexts.loading}</output>}
      {data === undefined && !isFetching && (
        <Notice tone="error" live title={factorTexts.failed} action={<RetryButton onClick={() => void refetch()} />} />
      )}
      {data !== undefined && <Found list={data.factors} onRemove={() => actions.show({ kind: 'factors', account })} />}
    </section>
  );
}

function Found({ list, onRemove }: Readonly<{ list: AccountFactors['factors']; onRemove: () => void }>): ReactNode {
  if (list.length === 0) return <p className="mt-1 text-muted">{factorTexts.none}</p>;
  return (
    <>
      <ul className="mt-1 mb-3 text-muted">
        {list.map(({ kind, createdAt }) => (
          <li key={`${kind} ${createdAt}`}>{factorTexts.since(factorTexts[kind], formatDate(createdAt))}</li>
        ))}
      </ul>
      <Button variant="secondary" wide icon={ShieldOff} onClick={onRemove}>
        {factorTexts.remove}
      </Button>
    </>
  );
}

type RoleFieldProps = ComponentPropsWithRef<'select'> & Readonly<{ error: string | undefined }>;

/** Chooses a role; an account may have none or an unknown one before. */
export function RoleField({ error, required = false, ...select }: RoleFieldProps): ReactNode {
  return (
    <Field label={texts.role} error={error} required={required}>
      <Select defaultValue="" options={ROLES.map((role) => [role, texts.formatRole(role)])} {...select}>
        <option value="" disabled hidden>
          {texts.chooseRole}
        </option>
      </Select>
    </Field>
  );
}
