import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { ownArea } from '#contract/areas.ts';
import { useBackend } from '#web/backend/client.ts';
import { findNextPlace, listOwnContributions, NEWEST } from '#web/backend/own-contributions.ts';
import { connected } from '#web/backend/server-state.tsx';
import { useSessionStore } from '#web/backend/session.ts';
import { Button, ButtonLink, RetryButton } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useFocusHandover } from '#web/ui/use-focus-handover.ts';
import { ContributionRow } from './contribution-row.tsx';
import { texts } from './texts.ts';
import { useRole } from './unfinished-section.tsx';

/** What the account has handed in, newest first, and what becomes of it. */
export const OwnContributionsScreen = connected(OwnContributions);

function OwnContributions(): ReactNode {
  const role = useRole();
  const backend = useBackend();
  const { recheck } = useSessionStore();
  const { data, isPending, isError, isFetchNextPageError, hasNextPage, isFetching, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['own-contributions'],
      // The review page opens in another tab, from the mail.
      refetchOnWindowFocus: true,
      initialPageParam: NEWEST,
      queryFn: async ({ pageParam, signal }) => {
        const page = await listOwnContributions(backend, pageParam, signal);
        // A login that was ended elsewhere, or lacks a second factor since, sees none either.
        if (page.length === 0) await recheck();
        return page;
      },
      getNextPageParam: findNextPlace,
    });
  const rows = data?.pages.flat() ?? [];
  const lastPage = useRef<HTMLLIElement>(null);
  // The button goes with the last page.
  const handOver = useFocusHandover(lastPage);
  return (
    <div className="mx-auto w-full max-w-column px-4 py-8 sm:px-6 sm:py-14">
      <ScreenTitle>{texts.title}</ScreenTitle>
      <p className="mt-3 mb-8 max-w-measure text-lg text-muted">{texts.lead}</p>
      {isPending && <Loading />}
      {data !== undefined && rows.length === 0 && (
        <EmptyState
          drawing="contributions"
          title={texts.empty.title}
          action={<ButtonLink href={ownArea(role)?.home ?? '/'}>{texts.empty.action}</ButtonLink>}
        >
          {texts.empty.text}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <ul aria-label={texts.list} className="flex flex-col gap-3 sm:gap-4">
          {rows.map((row) => (
            <ContributionRow key={row.id} row={row} begin={row === data?.pages.at(-1)?.[0] ? lastPage : null} />
          ))}
        </ul>
      )}
      {isError && (
        <Notice
          className="mt-4"
          tone="caution"
          title={texts.failed.title}
          live
          action={
            <RetryButton busy={isFetching} onClick={() => void (isFetchNextPageError ? fetchNextPage() : refetch())} />
          }
        >
          {texts.failed.text}
        </Notice>
      )}
      {hasNextPage && !isError && (
        <div className="mt-6 flex justify-center">
          <Button
            ref={handOver}
            variant="secondary"
            busy={isFetching}
            busyLabel={texts.loadingMore}
            onClick={() => void fetchNextPage()}
          >
            {texts.more}
          </Button>
        </div>
      )}
    </div>
  );
}

function Loading(): ReactNode {
  return (
    <div className="flex flex-col gap-3 sm:gap-4">
      <output className="sr-only">{texts.loading}</output>
      {[0, 1, 2].map((place) => (
        <Skeleton key={place} className="h-60 w-full rounded-card! sm:h-48" />
      ))}
    </div>
  );
}
