import { clsx } from 'clsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import * as z from 'zod/mini';
import type { NewAccount } from '#contract/accounts.ts';
import { ROLES } from '#contract/roles.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import { useUser } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { ConfirmDialog, Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { EMAIL_PATTERN, EmailField, SubmitRow, TextInput } from '#web/ui/form-fields.tsx';
import { BackLink } from '#web/ui/link.tsx';
import { StepMessage } from '#web/ui/notice.tsx';
import { UserPlus } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { addressField, useForm } from '#web/ui/use-form.ts';
import { AccountsList } from './accounts-list.tsx';
import { ManageDialog, RoleField } from './manage-dialog.tsx';
import { accountsTexts as texts } from './texts.ts';
import { type AccountActions, type PasswordOf, useAccountActions, useAccounts } from './use-accounts.ts';

/** /admin/benutzer (D14): accounts and roles. */
export function AccountsScreen(): ReactNode {
  const own = useUser()?.id;
  const list = useAccounts();
  const actions = useAccountActions();
  const usable = list.state.status !== 'failed' || list.search !== '';
  return (
    <div className="mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-10">
      <BackLink href="/admin">{texts.back}</BackLink>
      <div className="mt-3 mb-8 flex flex-wrap items-end justify-between gap-x-8 gap-y-5">
        <div>
          <ScreenTitle>{texts.title}</ScreenTitle>
          <p className="mt-3 max-w-measure text-lg text-muted">{texts.lead}</p>
        </div>
        {usable && (
          <Button icon={UserPlus} onClick={() => actions.show({ kind: 'create' })}>
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

const CONFIRMATIONS = {
  remove: { tone: 'danger', title: texts.removeTitle, confirmLabel: texts.removeConfirm, describe: texts.removeText },
  factors: {
    tone: 'danger',
    title: texts.factors.removeTitle,
    confirmLabel: texts.factors.removeConfirm,
    describe: texts.factors.removeText,
  },
  renew: { tone: 'primary', title: texts.renewTitle, confirmLabel: texts.renewConfirm, describe: texts.renewText },
} as const;

function Overlays({ actions, own }: Readonly<{ actions: AccountActions; own: string | undefined }>): ReactNode {
  const { overlay, busy, close, problem } = actions;
  switch (overlay.kind) {
    case 'none':
      return null;
    case 'create':
      return <CreateDialog busy={busy} problem={problem} onClose={close} onCreate={actions.create} />;
    case 'manage':
      return <ManageDialog account={overlay.account} own={overlay.account.id === own} actions={actions} />;
    case 'password':
      return <PasswordDialog {...overlay} onClose={close} />;
    default: {
      const { describe, ...shown } = CONFIRMATIONS[overlay.kind];
      const confirm = { ...actions, factors: actions.removeFactors }[overlay.kind];
      return (
        <ConfirmDialog
          open
          onCancel={close}
          problem={problem}
          {...shown}
          description={describe(overlay.account.email)}
          onConfirm={() => confirm(overlay.account)}
        />
      );
    }
  }
}

type CreateDialogProps = Readonly<{
  busy: boolean;
  problem: string | undefined;
  onClose: () => void;
  onCreate: (account: NewAccount) => void;
}>;

const CreateForm = z.object({
  email: addressField(EMAIL_PATTERN, texts.emailProblem),
  role: z.enum(ROLES, texts.roleProblem),
  by: z.enum(['invite', 'password']),
});

function CreateDialog({ busy, problem, onClose, onCreate }: CreateDialogProps): ReactNode {
  const { accountMails } = useBackendConfig();
  const by = accountMails === false ? 'password' : 'invite';
  const { submit, field, register, watch } = useForm(CreateForm, { email: '', by }, onCreate);
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={texts.create} description={texts.createText}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <EmailField label={texts.email} {...field('email')} />
        <RoleField required {...field('role')} />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 text-sm font-medium">{texts.way}</legend>
          <Way
            value="invite"
            label={texts.invite}
            hint={by === 'invite' ? texts.inviteHint : texts.noMails}
            {...register('by')}
          />
          <Way value="password" label={texts.password} hint={texts.passwordHint} {...register('by')} />
        </fieldset>
        {problem !== undefined && (
          <StepMessage message={{ id: 0, title: texts.failed, description: problem, variant: 'destructive' }} />
        )}
        <SubmitRow
          label={watch('by') === 'invite' ? texts.createInvite : texts.createPassword}
          busy={busy}
          busyLabel={texts.working}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

type WayProps = ComponentPropsWithRef<'input'> & Readonly<{ label: string; hint: string }>;

function Way({ label, hint, ...input }: WayProps): ReactNode {
  return (
    <label
      className={clsx(
        'grid cursor-pointer grid-cols-[auto_1fr] items-center gap-x-3 rounded-control border border-line-strong p-3.5',
        'has-checked:border-accent has-checked:bg-accent-wash',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
      )}
    >
      <input type="radio" {...input} className="size-5 outline-none" />
      <span className="font-medium">{label}</span>
      <span className="col-start-2 text-sm text-muted">{hint}</span>
    </label>
  );
}

type PasswordDialogProps = Readonly<{ of: PasswordOf; email: string; password: string; onClose: () => void }>;

/** Shows the password once. */
function PasswordDialog({ of, email, password, onClose }: PasswordDialogProps): ReactNode {
  return (
    <Dialog
      open
      keepOpenOutside
      onOpenChange={(next) => !next && onClose()}
      title={texts.passwordTitle}
      description={texts.passwordText[of](email)}
      actions={<Button onClick={onClose}>{texts.done}</Button>}
    >
      <div className="flex flex-col gap-3 sm:flex-row sm:flex-wrap sm:items-end">
        <div className="flex-1">
          <Field label={texts.passwordLabel}>
            <TextInput
              readOnly
              value={password}
              className="tabular font-medium"
              onFocus={(event) => event.target.select()}
            />
          </Field>
        </div>
        <CopyButton text={password} label={texts.copy} failed={texts.copyFailed} />
      </div>
    </Dialog>
  );
}
