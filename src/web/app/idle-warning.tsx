import { useState, type ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { laterTexts } from './later-texts.ts';

/** Warns before the logout for inactivity. Every answer is a sign of life, so closing it is enough to stay. */
export function IdleWarning(): ReactNode {
  const [open, setOpen] = useState(true);
  const { title, text, stay } = laterTexts.idle;
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      title={title}
      description={text}
      actions={<Button onClick={() => setOpen(false)}>{stay}</Button>}
    />
  );
}
