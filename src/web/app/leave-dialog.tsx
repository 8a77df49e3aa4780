import type { ReactNode } from 'react';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { laterTexts } from './later-texts.ts';

type LeaveDialogProps = Readonly<{ about: keyof typeof laterTexts.leaving; answer: (stays: boolean) => void }>;

/** Says what is left behind, and asks whether to go all the same. */
export function LeaveDialog({ about, answer }: LeaveDialogProps): ReactNode {
  return (
    <ConfirmDialog
      open
      {...laterTexts.leaving[about]}
      confirmLabel={laterTexts.leave}
      cancelLabel={laterTexts.stay}
      onConfirm={() => answer(false)}
      onCancel={() => answer(true)}
    />
  );
}
