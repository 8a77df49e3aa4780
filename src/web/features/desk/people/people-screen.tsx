import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useRef } from 'react';
import type { ErasureList, ErasureReceipt } from '#contract/desk-files.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { POLLING_MS } from '#web/backend/server-state.tsx';
import { useUser } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { BackLink } from '#web/ui/link.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { useFocusHandover } from '#web/ui/use-focus-handover.ts';
import { INBOX_PATH } from '../desk-url.ts';
import { ERASURE_KEY, formatErased } from '../erasure/erase-dialog.tsx';
import { erasureTexts } from '../erasure/texts.ts';
import { ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { useDeskServer } from '../use-desk.tsx';
import { PersonCard } from './person-card.tsx';
import { RetentionCard } from './retention-card.tsx';
import { peopleTexts as texts } from './texts.ts';

/** /admin/eingang/datenschutz: export, erasure and retention. */
export function PeopleScreen(): ReactNode {
  return (
    <div className="mx-auto w-full max-w-column px-4 py-6 sm:px-6 sm:py-10">
      <BackLink href={INBOX_PATH}>{deskTexts.toInbox}</BackLink>
      <div className="mt-2 mb-8">
        <ScreenTitle>{texts.title}</ScreenTitle>
        <p className="mt-3 max-w-measure text-lg text-muted">{texts.lead}</p>
      </div>
      <div className="flex flex-col gap-4">
        <PersonCard />
        <RetentionCard />
        <ReceiptsCard />
      </div>
    </div>
  );
}

/** Lists the receipts, newest first. Asks again while an erasure runs, so that its receipt appears by itself. */
function ReceiptsCard(): ReactNode {
  const server = useDeskServer();
  const query = useInfiniteQuery({
    queryKey: [...ERASURE_KEY, 'receipts'],
    queryFn: ({ pageParam, signal }) => server.erasures(pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => hasOpen(state.data?.pages) && POLLING_MS,
    refetchOnWindowFocus: ({ state }) => hasOpen(state.data?.pages) && 'always',
  });
  const { data, error, isPending, hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
  const lastPage = useRef<HTMLLIElement>(null);
  // The button goes with the last page.
  const handOver = useFocusHandover(lastPage);
  const retry = isFetchNextPageError ? query.fetchNextPage : query.refetch;
  return (
    <SectionCard title={texts.receipts}>
      <p className="mb-4 text-muted">{texts.receiptsText}</p>
      {isPending && <output className="text-muted">{texts.loading}</output>}
      {data !== undefined && <Receipts pages={data.pages} lastPage={lastPage} />}
      {error !== null && <ProblemNotice problem={getDeskProblem(error)} onRetry={() => void retry()} />}
      {hasNextPage && (
        <div className="mt-5 flex justify-center">
          <Button
            ref={handOver}
            variant="secondary"
            busy={isFetchingNextPage}
            busyLabel={deskTexts.loadingMore}
            onClick={() => void query.fetchNextPage()}
          >
            {deskTexts.loadMore}
          </Button>
        </div>
      )}
    </SectionCard>
  );
}

const FIRST_PAGE: string | null = null;

function hasOpen(pages: readonly ErasureList[] | undefined): boolean {
  return (pages?.[0]?.open.length ?? 0) > 0;
}

type ReceiptsProps = Readonly<{ pages: readonly ErasureList[]; lastPage: Ref<HTMLLIElement> }>;

function Receipts({ pages, lastPage }: ReceiptsProps): ReactNode {
  const open = pages[0]?.open ?? [];
  const receipts = pages.flatMap((page) => page.receipts);
  if (receipts.length === 0 && open.length === 0) return <p className="text-muted">{texts.noReceipts}</p>;
  return (
    <ul className="-my-3 divide-y divide-line">
      {open.map(({ id, at, what }) => (
        <Line key={id} title={erasureTexts.what[what]} text={texts.open} more={formatMoment(at)} id={id} />
      ))}
      {receipts.map((receipt) => (
        <Line
          key={receipt.id}
          begin={receipt === pages.at(-1)?.receipts[0] ? lastPage : null}
          title={erasureTexts.what[receipt.what]}
          text={formatErased(receipt)}
          more={<By receipt={receipt} />}
          id={receipt.id}
        />
      ))}
    </ul>
  );
}

function By({ receipt: { by, at, what } }: Readonly<{ receipt: ErasureReceipt }>): ReactNode {
  const ownId = useUser()?.id;
  if (by === null) return `${texts.byRule}, ${formatMoment(at)}`;
  const other = what === 'discarded' ? texts.byMember : texts.byAdmin;
  return `${by === ownId ? texts.byYou : other}, ${formatMoment(at)}`;
}

type LineProps = Readonly<{ title: string; text: string; more: ReactNode; id: string; begin?: Ref<HTMLLIElement> }>;

function Line({ title, text, more, id, begin = null }: LineProps): ReactNode {
  return (
    <li ref={begin} tabIndex={-1} className="py-3">
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
