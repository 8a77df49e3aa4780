import { useState, type ReactNode } from 'react';
import type { ErasureList, ErasureReceipt } from '#contract/desk-files.ts';
import { getDeskProblem, type DeskProblem } from '#web/backend/desk-error.ts';
import { useUser } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { formatErased } from '../erasure/receipt-facts.tsx';
import { erasureTexts } from '../erasure/texts.ts';
import { ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { useDeskServer } from '../use-desk.ts';
import type { Loaded } from '../use-loaded.ts';
import { peopleTexts as texts } from './texts.ts';

type ReceiptsCardProps = Readonly<{ state: Loaded<ErasureList>; onReload: () => void }>;

/** Lists the receipts, newest first. */
export function ReceiptsCard({ state, onReload }: ReceiptsCardProps): ReactNode {
  return (
    <SectionCard title={texts.receipts}>
      <p className="mb-4 text-muted">{texts.receiptsText}</p>
      {state.status === 'loading' && <output className="text-muted">{texts.loading}</output>}
      {state.status === 'failed' && <ProblemNotice problem={state.problem} onRetry={onReload} />}
      {state.status === 'ready' && <Receipts key={state.value.receipts[0]?.id ?? ''} list={state.value} />}
    </SectionCard>
  );
}

function Receipts({ list }: Readonly<{ list: ErasureList }>): ReactNode {
  const server = useDeskServer();
  const [older, setOlder] = useState<readonly ErasureReceipt[]>([]);
  const [next, setNext] = useState(list.next);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<DeskProblem>();
  const more = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const page = await server.erasures(next, new AbortController().signal);
      setOlder((before) => [...before, ...page.receipts]);
      setNext(page.next);
    } catch (error) {
      setProblem(getDeskProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const receipts = [...list.receipts, ...older];
  if (receipts.length === 0 && list.open.length === 0) return <p className="text-muted">{texts.noReceipts}</p>;
  return (
    <>
      <ul className="-my-3 divide-y divide-line">
        {list.open.map(({ id, at, what }) => (
          <Line key={id} title={erasureTexts.what[what]} text={texts.open} more={formatMoment(at)} id={id} />
        ))}
        {receipts.map((receipt) => (
          <Line
            key={receipt.id}
            title={erasureTexts.what[receipt.what]}
            text={formatErased(receipt)}
            more={<By receipt={receipt} />}
            id={receipt.id}
          />
        ))}
      </ul>
      {problem !== undefined && <ProblemNotice problem={problem} />}
      {next !== null && (
        <div className="mt-5 flex justify-center">
          <Button variant="secondary" busy={busy} busyLabel={deskTexts.loadingMore} onClick={() => void more()}>
            {deskTexts.loadMore}
          </Button>
        </div>
      )}
    </>
  );
}

function By({ receipt: { by, at } }: Readonly<{ receipt: ErasureReceipt }>): ReactNode {
  const ownId = useUser()?.id;
  if (by === null) return `${texts.byRule}, ${formatMoment(at)}`;
  return `${by === ownId ? texts.byYou : texts.byAdmin}, ${formatMoment(at)}`;
}

type LineProps = Readonly<{ title: string; text: string; more: ReactNode; id: string }>;

function Line({ title, text, more, id }: LineProps): ReactNode {
  return (
    <li className="py-3">
      <p className="font-medium">{title}</p>
      <p className="tabular [overflow-wrap:anywhere]">{text}</p>
      <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-sm text-muted">
        <span>{more}</span>
        <span className="[overflow-wrap:anywhere]">
          {erasureTexts.number} {id}
        </span>
      </p>
    </li>
  );
}
