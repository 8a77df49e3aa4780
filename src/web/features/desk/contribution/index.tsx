import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import type { DeskContribution, DeskItem } from '#contract/desk.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { ConnectedScreen } from '#web/backend/server-state.tsx';
import { ButtonLink, RetryButton } from '#web/ui/button.tsx';
import { Drawing } from '#web/ui/empty-state.tsx';
import { useNavigate } from '#web/ui/link.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { HelpDialog } from '../desk-header.tsx';
import { contributionHref, formatFilter, INBOX_PATH, parseFilter, parseView } from '../desk-url.ts';
import { ErasedScreen } from '../erasure/erase-dialog.tsx';
import { removeItem, toDeskItem, updateItems } from '../listing.ts';
import { useShortcuts } from '../shortcuts.ts';
import { deskTexts } from '../texts.ts';
import { useDesk } from '../use-desk.tsx';
import { INBOX_PAGE, useListing, type UseListing } from '../use-listing.ts';
import { ContributionNavigation } from './contribution-header.tsx';
import { ContributionView } from './contribution-view.tsx';
import { contributionTexts as texts } from './texts.ts';

/** A contribution with its posts: a file of its own, which the desk's lists do not wait for. */
export function ContributionRoute(props: ContributionScreenProps): ReactNode {
  return (
    <ConnectedScreen>
      <ContributionScreen {...props} />
    </ConnectedScreen>
  );
}

type ContributionScreenProps = Readonly<{ id: number; address: string }>;

/** /admin/eingang/:id shows one contribution. `address`: search part of the list it was opened from. */
export function ContributionScreen({ id, address }: ContributionScreenProps): ReactNode {
  const search = formatFilter(parseFilter(address));
  const { contribution, problem, set, reload, refresh } = useContribution(id);
  const { previous, next, changeRows } = useNeighbours(id, search);
  const navigate = useNavigate();
  const [help, setHelp] = useState(false);
  const [erased, setErased] = useState<Readonly<{ id: number; answer: ErasureAnswer }>>();
  const goTo = (item: typeof next) => () => {
    if (item !== undefined) navigate(contributionHref(item.id, parseFilter(search)));
  };
  useShortcuts({
    next: goTo(next),
    previous: goTo(previous),
    back: () => navigate(`${INBOX_PATH}${search}`),
    help: () => setHelp(true),
  });
  const missing = problem === 'missing';
  useEffect(() => {
    changeRows((rows) => (missing ? removeItem(rows, id) : { ...rows, opened: id }));
  }, [id, missing, changeRows]);
  // The way back leads to another contribution of this screen.
  if (erased?.id === id) return <ErasedScreen answer={erased.answer} search={search} />;
  if (problem !== undefined) return <Failed problem={problem} search={search} onReload={reload} />;
  if (contribution === undefined) return <LoadingScreen text={texts.loading} />;
  return (
    <div className="mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-10">
      <ContributionNavigation search={search} previous={previous} next={next} />
      <ContributionView
        key={contribution.id}
        view={parseView(address)}
        search={search}
        contribution={contribution}
        onChanged={(changed) => {
          set(changed);
          changeRows((rows) => updateItems(rows, [toDeskItem(changed)]));
        }}
        onMissing={reload}
        onPostsMoved={refresh}
        onErased={(answer) => {
          changeRows((rows) => removeItem(rows, id));
          setErased({ id, answer });
        }}
      />
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}

type FailedProps = Readonly<{ problem: keyof typeof deskTexts.problems; search: string; onReload: () => void }>;

function Failed({ problem, search, onReload }: FailedProps): ReactNode {
  const missing = problem === 'missing';
  return (
    <ErrorScreen
      title={missing ? texts.notFoundTitle : texts.failedTitle}
      drawing={<Drawing name="lost" className="mb-6" />}
      action={
        <>
          {!missing && <RetryButton variant="primary" onClick={onReload} />}
          <ButtonLink href={`${INBOX_PATH}${search}`}>{deskTexts.toInbox}</ButtonLink>
        </>
      }
    >
      {missing ? texts.notFound : deskTexts.problems[problem]}
    </ErrorScreen>
  );
}

function useContribution(id: number) {
  const desk = useDesk();
  const client = useQueryClient();
  const queryKey = ['desk', 'contribution', id];
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => desk.contribution(id, signal) });
  const refresh = (): void => void client.invalidateQueries({ queryKey });
  const problem = error === null ? undefined : getDeskProblem(error);
  return {
    contribution: data,
    /** Why there is no contribution. A later load that fails leaves what is shown, and what somebody types there. */
    problem: data === undefined || problem === 'missing' ? problem : undefined,
    /** Shows the state that a change returned. */
    set: (contribution: DeskContribution): void => {
      // What is on its way may be older than this, or newer: nothing else asks again.
      const asked = client.isFetching({ queryKey }) > 0;
      void client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, contribution);
      if (asked) refresh();
    },
    /** Starts from the beginning, also after another administrator erased it. */
    reload: (): void => void client.resetQueries({ queryKey }),
    /** Loads it once more and shows what is there meanwhile. */
    refresh,
  };
}

type Neighbours = Readonly<{
  previous: DeskItem | undefined;
  next: DeskItem | undefined;
  /** Changes the list the contribution was opened from. */
  changeRows: UseListing['change'];
}>;

/** Finds the neighbours of a contribution in the list it was opened from. */
function useNeighbours(id: number, search: string): Neighbours {
  const { listing, change, more } = useListing({ search, pageSize: INBOX_PAGE, refresh: 'never' });
  const items = listing.status === 'ready' && listing.search === search ? listing.items : [];
  const place = items.findIndex((item) => item.id === id);
  const last = place !== -1 && place === items.length - 1;
  useEffect(() => {
    if (last) more();
    // oxlint-disable-next-line react/exhaustive-deps -- once when the last row is reached, not again after a failure
  }, [last]);
  return {
    previous: place === -1 ? undefined : items[place - 1],
    next: place === -1 ? undefined : items[place + 1],
    changeRows: change,
  };
}
