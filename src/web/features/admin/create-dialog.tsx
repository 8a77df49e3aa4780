import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { NewAccount } from '#contract/accounts.ts';
import type { Role } from '#contract/roles.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { RoleSelect } from './role-select.tsx';
import { accountsTexts as texts } from './texts.ts';

type CreateDialogProps = Readonly<{
  open: boolean;
  busy: boolean;
  onClose: () => void;
  onCreate: (account: NewAccount) => void;
}>;

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

export function CreateDialog({ open, busy, onClose, onCreate }: CreateDialogProps): ReactNode {
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title={texts.create} description={texts.createText}>
      <CreateForm busy={busy} onClose={onClose} onCreate={onCreate} />
    </Dialog>
  );
}

function CreateForm({ busy, onClose, onCreate }: Omit<CreateDialogProps, 'open'>): ReactNode {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>();
  const [by, setBy] = useState<NewAccount['by']>('invite');
  const [submitted, setSubmitted] = useState(false);
  const valid = ADDRESS.test(email.trim());
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setSubmitted(true);
    if (valid && role !== undefined) onCreate({ email: email.trim(), role, by });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <Field label={texts.email} error={submitted && !valid ? texts.emailProblem : undefined} required>
        <TextInput
          type="email"
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={texts.role} error={submitted && role === undefined ? texts.roleProblem : undefined} required>
        <RoleSelect value={role} onChange={setRole} />
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">{texts.way}</legend>
        <Way checked={by === 'invite'} name={texts.invite} hint={texts.inviteHint} onChoose={() => setBy('invite')} />
        <Way
          checked={by === 'password'}
          name={texts.password}
          hint={texts.passwordHint}
          onChoose={() => setBy('password')}
        />
      </fieldset>
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onClose}>
          {texts.cancel}
        </Button>
        <Button type="submit" busy={busy} busyLabel={texts.working}>
          {by === 'invite' ? texts.createInvite : texts.createPassword}
        </Button>
      </div>
    </form>
  );
}

type WayProps = Readonly<{ checked: boolean; name: string; hint: string; onChoose: () => void }>;

function Way({ checked, name, hint, onChoose }: WayProps): ReactNode {
  return (
    <label className="grid cursor-pointer grid-cols-[auto_1fr] items-center gap-x-3 rounded-control border border-line-strong p-3.5 has-checked:border-accent has-checked:bg-accent-wash has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus">
      <input type="radio" name="way" checked={checked} onChange={onChoose} className="size-5 outline-none" />
      <span className="font-medium">{name}</span>
      <span className="col-start-2 text-sm text-muted">{hint}</span>
    </label>
  );
}
