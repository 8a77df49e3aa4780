import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Copy } from '#web/ui/screen-icons.ts';
import { TextInput } from '#web/ui/text-input.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { accountsTexts as texts } from './texts.ts';

type PasswordDialogProps = Readonly<{ email: string; password: string; onClose: () => void }>;

/** Shows the password once. */
export function PasswordDialog({ email, password, onClose }: PasswordDialogProps): ReactNode {
  const toast = useToast();
  const copy = (): void => {
    navigator.clipboard.writeText(password).then(
      () => toast({ ...texts.copied, variant: 'good' }),
      () => toast({ ...texts.copyFailed, variant: 'destructive' }),
    );
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={texts.passwordTitle}
      description={texts.passwordText(email)}
      actions={<Button onClick={onClose}>{texts.done}</Button>}
    >
      <div className="flex flex-col gap-3 sm:flex-row sm:items-end">
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
        <Button variant="secondary" icon={<Copy aria-hidden className="size-5" />} onClick={copy}>
          {texts.copy}
        </Button>
      </div>
    </Dialog>
  );
}
