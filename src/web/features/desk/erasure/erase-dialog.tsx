import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { type ReactNode, useState } from 'react';
import * as z from 'zod/mini';
import type { ErasureAnswer, ErasureReceipt } from '#contract/desk-files.ts';
import type { DeskContribution } from '#contract/desk.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { choosePause, POLLING, useAction } from '#web/backend/server-state.tsx';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Facts } from '#web/ui/card.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { FieldError } from '#web/ui/field.tsx';
import { SubmitRow } from '#web/ui/form-fields.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { CircleCheckBig, Hourglass, Trash2 } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { INBOX_PATH, PEOPLE_PATH } from '../desk-url.ts';
import { ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { useDeskServer } from '../use-desk.tsx';
import { erasureTexts as texts } from './texts.ts';

type EraseDialogProps = Readonly<{
  title: string;
  description: string;
  /** The sentence to agree to. */
  understood: string;
  confirm: string;
  erase: () => Promise<ErasureAnswer>;
  onErased: (answer: ErasureAnswer) => void;
  onClose: () => void;
  /** Further choices. */
  children?: ReactNode;
}>;

/** Asks for agreement and a click before an erasure, which cannot be undone. */
export function EraseDialog(props: EraseDialogProps): ReactNode {
  const { title, description, onErased, onClose } = props;
  const erasure = useErasure(onErased);
  return (
    <Dialog open onOpenChange={(next) => !next && !erasure.busy && onClose()} title={title} description={description}>
      <EraseForm {...props} erasure={erasure} />
    </Dialog>
  );
}

const Agreement = z.object({ agreed: z.boolean().check(z.refine((agreed) => agreed, texts.understood)) });

type EraseFormProps = EraseDialogProps & Readonly<{ erasure: ReturnType<typeof useErasure> }>;

function EraseForm({ understood, confirm, erasure, erase, onClose, children }: EraseFormProps): ReactNode {
  const { busy, problem, run } = erasure;
  const { submit, register, getError } = useForm(Agreement, { agreed: false }, () => run(erase));
  const missing = getError('agreed');
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {problem !== undefined && <ProblemNotice problem={problem} />}
      {children}
      <label
        className={clsx(
          'touch flex cursor-pointer items-center gap-3 rounded-control border border-line-strong px-3.5 py-2.5',
          'has-checked:border-record has-checked:bg-record-wash',
        )}
      >
        <input type="checkbox" {...register('agreed')} className="size-5 shrink-0 accent-record" />
        {understood}
      </label>
      {missing !== undefined && <FieldError>{missing}</FieldError>}
      <SubmitRow
        label={confirm}
        variant="danger"
        busy={busy}
        busyLabel={deskTexts.working}
        onCancel={onClose}
        cancelOff={busy}
      />
    </form>
  );
}

/** Everything below this key is requested again after an erasure. */
export const ERASURE_KEY = ['desk', 'erasure'];

/** Runs one erasure at a time. A recorded one counts as running, because the server finishes it. */
function useErasure(onAnswer: (answer: ErasureAnswer) => void) {
  const client = useQueryClient();
  const { run, busy, error } = useAction({
    mutationFn: (work: () => Promise<ErasureAnswer>) => work(),
    onSuccess: (answer) => {
      onAnswer(answer);
      void client.invalidateQueries({ queryKey: ERASURE_KEY });
    },
  });
  const problem = error === null ? undefined : getDeskProblem(error);
  return { busy, problem, run: (work: () => Promise<ErasureAnswer>) => void run(work) };
}

/** The answer, and for an erasure that runs the receipt once there is one: nobody has to look for its end. */
export function useOutcome(answer: ErasureAnswer): ErasureAnswer {
  const server = useDeskServer();
  const client = useQueryClient();
  const running = answer.state === 'running' ? answer.id : undefined;
  const findReceipt = async (signal: AbortSignal): Promise<ErasureReceipt | null> => {
    const { receipts } = await server.erasures(null, signal);
    const receipt = receipts.find(({ id }) => id === running) ?? null;
    // What was counted while it ran is over as well.
    if (receipt !== null) void client.invalidateQueries({ queryKey: ERASURE_KEY });
    return receipt;
  };
  const { data: receipt } = useQuery({
    queryKey: ['desk', 'outcome', running],
    queryFn: running === undefined ? skipToken : ({ signal }) => findReceipt(signal),
    ...POLLING,
    refetchInterval: (query) => (query.state.data ? false : choosePause(query)),
    refetchOnWindowFocus: ({ state }) => (state.data ? false : 'always'),
  });
  return receipt ? { state: 'done', receipt } : answer;
}

const COUNTED = ['contributions', 'files', 'turns', 'feedback', 'posts', 'events', 'mails', 'accounts'] as const;

/** Formats what was erased: '1 Beitrag, 3 Dateien'. */
export function formatErased(receipt: ErasureReceipt): string {
  const parts = COUNTED.map((name) => ({ name, count: receipt[name] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => texts.counts[name](count));
  return parts.length === 0 ? texts.nothing : parts.join(', ');
}

/** Shows the receipt right after the erasure. */
export function ReceiptFacts({ receipt }: Readonly<{ receipt: ErasureReceipt }>): ReactNode {
  return (
    <section aria-label={texts.receipt} className="rounded-card border border-line bg-surface p-5 text-left sm:p-6">
      <h2 className="text-lg font-semibold">{texts.receipt}</h2>
      <p className="mt-1 text-sm text-muted">{texts.receiptHint}</p>
      <dl className="tabular mt-4 flex flex-col gap-3">
        <Facts
          facts={[
            [texts.erased, formatErased(receipt)],
            [texts.at, formatMoment(receipt.at)],
            [texts.number, receipt.id],
          ]}
        />
      </dl>
    </section>
  );
}

type ErasePartProps = Readonly<{ contribution: DeskContribution; onErased: (answer: ErasureAnswer) => void }>;

/** Erases the contribution after a confirmation. */
export function ErasePart({ contribution, onErased }: ErasePartProps): ReactNode {
  const server = useDeskServer();
  const [open, setOpen] = useState(false);
  const { id, contributor, fileList } = contribution;
  return (
    <div className="flex flex-col gap-1.5">
      <Button variant="quiet" icon={Trash2} wide onClick={() => setOpen(true)}>
        {texts.contribution.open}
      </Button>
      <p className="text-center text-sm text-muted">{texts.contribution.hint}</p>
      {open && (
        <EraseDialog
          title={texts.contribution.title}
          description={texts.contribution.text(deskTexts.by(contributor), deskTexts.files(fileList.length))}
          understood={texts.contribution.understood}
          confirm={texts.contribution.confirm}
          erase={() => server.erase({ contribution: id })}
          onErased={onErased}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

/** Shows the receipt of an erased contribution, at the latest when the erasure has come to its end. */
export function ErasedScreen({ answer, search }: Readonly<{ answer: ErasureAnswer; search: string }>): ReactNode {
  const outcome = useOutcome(answer);
  const done = outcome.state === 'done';
  const Icon = done ? CircleCheckBig : Hourglass;
  return (
    <div className="mx-auto flex w-full max-w-column flex-col items-center gap-6 px-4 py-12 text-center sm:px-6">
      <Icon className={done ? 'size-10 text-good-ink' : 'size-10 text-muted'} />
      <ScreenTitle className="text-2xl">{done ? texts.contribution.done : texts.contribution.running}</ScreenTitle>
      <div aria-live="polite" className="flex w-full flex-col items-center">
        {outcome.state === 'done' ? (
          <div className="w-full">
            <ReceiptFacts receipt={outcome.receipt} />
          </div>
        ) : (
          <p className="max-w-measure text-lg text-muted">{texts.contribution.runningText}</p>
        )}
      </div>
      <div className="flex flex-wrap justify-center gap-3">
        <ButtonLink variant="primary" href={`${INBOX_PATH}${search}`}>
          {deskTexts.toInbox}
        </ButtonLink>
        <ButtonLink href={PEOPLE_PATH}>{deskTexts.people}</ButtonLink>
      </div>
    </div>
  );
}
