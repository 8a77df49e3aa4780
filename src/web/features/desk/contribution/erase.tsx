import { type ReactNode, useState } from 'react';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import type { DeskContribution } from '#contract/desk.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { CircleCheckBig, Hourglass, Trash2 } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { INBOX_PATH, PEOPLE_PATH } from '../desk-url.ts';
import { EraseDialog, ReceiptFacts, useErasure } from '../erasure/erase-dialog.tsx';
import { deskTexts } from '../texts.ts';
import { useDeskServer } from '../use-desk.ts';
import { contributionTexts } from './texts.ts';

const texts = contributionTexts.erase;

type ErasePartProps = Readonly<{ contribution: DeskContribution; onErased: (answer: ErasureAnswer) => void }>;

/** Erases the contribution after a confirmation. */
export function ErasePart({ contribution, onErased }: ErasePartProps): ReactNode {
  const server = useDeskServer();
  const [open, setOpen] = useState(false);
  const erasure = useErasure(onErased);
  const { id, contributor, fileList } = contribution;
  const close = (): void => {
    erasure.reset();
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
          description={texts.text(deskTexts.formatName(contributor), deskTexts.files(fileList.length))}
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

/** Shows the receipt of an erased contribution. */
export function ErasedScreen({ answer, search }: Readonly<{ answer: ErasureAnswer; search: string }>): ReactNode {
  const done = answer.state === 'done';
  const Icon = done ? CircleCheckBig : Hourglass;
  return (
    <div className="mx-auto flex w-full max-w-column flex-col items-center gap-6 px-4 py-12 text-center sm:px-6">
      <Icon aria-hidden className={done ? 'size-10 text-good-ink' : 'size-10 text-muted'} />
      <ScreenTitle className="text-2xl">{done ? texts.done : texts.running}</ScreenTitle>
      {answer.state === 'done' ? (
        <div className="w-full">
          <ReceiptFacts receipt={answer.receipt} />
        </div>
      ) : (
        <p className="max-w-measure text-lg text-muted">{texts.runningText}</p>
      )}
      <div className="flex flex-wrap justify-center gap-3">
        <ButtonLink variant="primary" href={`${INBOX_PATH}${search}`}>
          {contributionTexts.back}
        </ButtonLink>
        <ButtonLink href={PEOPLE_PATH}>{deskTexts.people}</ButtonLink>
      </div>
    </div>
  );
}
