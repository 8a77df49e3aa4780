import { Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { Button } from '#web/ui/button.tsx';
import { EraseDialog } from '../erasure/erase-dialog.tsx';
import { useErasure } from '../erasure/use-erasure.ts';
import { deskTexts } from '../texts.ts';
import { useDeskServer } from '../use-desk.ts';
import { contributionTexts } from './texts.ts';

const texts = contributionTexts.erase;

type ErasePartProps = Readonly<{ contribution: DeskContribution; onErased: (answer: ErasureAnswer) => void }>;

/** The way out for good. */
export function ErasePart({ contribution, onErased }: ErasePartProps): ReactNode {
  const server = useDeskServer();
  const [open, setOpen] = useState(false);
  const erasure = useErasure(onErased);
  const { id, contributor, fileList } = contribution;
  const close = (): void => {
    erasure.forget();
    setOpen(false);
  };
  return (
    <div className="flex flex-col gap-1.5">
      <Button variant="quiet" icon={<Trash2 aria-hidden className="size-5" />} wide onClick={() => setOpen(true)}>
        {texts.open}
      </Button>
      <p className="text-center text-sm text-muted">{texts.hint}</p>
      {open && (
        <EraseDialog
          title={texts.title}
          description={texts.text(deskTexts.nameOf(contributor), deskTexts.files(fileList.length))}
          understood={texts.understood}
          confirm={texts.confirm}
          busy={erasure.busy}
          problem={erasure.problem}
          onConfirm={() => erasure.run(() => server.erase({ contribution: id }))}
          onClose={close}
        />
      )}
    </div>
  );
}
