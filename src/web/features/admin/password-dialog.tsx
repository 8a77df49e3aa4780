import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field, TextInput } from '#web/ui/field.tsx';
import { accountsTexts as texts } from './texts.ts';
import type { PasswordOf } from './use-accounts.ts';

type PasswordDialogProps = Readonly<{ of: PasswordOf; email: string; password: string; onClose: () => void }>;

/** Shows the password once. */
export function PasswordDialog({ of, email, password, onClose }: PasswordDialogProps): ReactNode {
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
