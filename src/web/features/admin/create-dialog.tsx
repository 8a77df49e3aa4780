import { clsx } from 'clsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import * as z from 'zod/mini';
import type { NewAccount } from '#contract/accounts.ts';
import { ROLES } from '#contract/roles.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { EMAIL_PATTERN, EmailField, SubmitRow } from '#web/ui/form-fields.tsx';
import { StepMessage } from '#web/ui/step-message.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { RoleField } from './role-field.tsx';
import { accountsTexts as texts } from './texts.ts';

type CreateDialogProps = Readonly<{
  busy: boolean;
  problem: string | undefined;
  onClose: () => void;
  onCreate: (account: NewAccount) => void;
}>;

const CreateForm = z.object({
  email: z.string().check(z.trim(), z.regex(EMAIL_PATTERN, texts.emailProblem)),
  role: z.enum(ROLES, texts.roleProblem),
  by: z.enum(['invite', 'password']),
});

export function CreateDialog({ busy, problem, onClose, onCreate }: CreateDialogProps): ReactNode {
  const { submit, field, register, watch } = useForm(CreateForm, { email: '', by: 'invite' }, onCreate);
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={texts.create} description={texts.createText}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <EmailField label={texts.email} {...field('email')} />
        <RoleField required {...field('role')} />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 text-sm font-medium">{texts.way}</legend>
          <Way value="invite" label={texts.invite} hint={texts.inviteHint} {...register('by')} />
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
