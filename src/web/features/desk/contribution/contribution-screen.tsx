import { useEffect, useState, type ReactNode } from 'react';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { useNavigate } from '#web/ui/link.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { contributionHref, filterOf, INBOX_PATH, searchOf } from '../desk-url.ts';
import { HelpDialog } from '../help-dialog.tsx';
import { deskTexts } from '../texts.ts';
import { useShortcuts } from '../use-shortcuts.ts';
import { ContributionView } from './contribution-view.tsx';
import { ContributionWays } from './contribution-header.tsx';
import { ErasedScreen } from './erased-screen.tsx';
import { contributionTexts as texts } from './texts.ts';
import { useContribution } from './use-contribution.ts';
import { useNeighbours } from './use-neighbours.ts';

/** /admin/eingang/:id: everything about one contribution. `address`: the list it was opened from. */
export function ContributionScreen({ id, address }: Readonly<{ id: number; address: string }>): ReactNode {
  const search = searchOf(filterOf(address));
  const { state, set, again, gone } = useContribution(id);
  const { previous, next, tell } = useNeighbours(id, search);
  const navigate = useNavigate();
  const [help, setHelp] = useState(false);
  const [erased, setErased] = useState<ErasureAnswer>();
  const goTo = (item: typeof next) => () => {
    if (item !== undefined) navigate(contributionHref(item.id, filterOf(search)));
  };
  useShortcuts({
    next: goTo(next),
    previous: goTo(previous),
    back: () => navigate(`${INBOX_PATH}${search}`),
    help: () => setHelp(true),
  });
  const missing = state.status === 'failed' && state.problem === 'missing';
  useEffect(() => {
    if (missing) tell({ type: 'gone', id });
  }, [id, missing, tell]);
  if (erased !== undefined) return <ErasedScreen answer={erased} search={search} />;
  if (state.status === 'loading') return <LoadingScreen text={texts.loading} />;
  if (state.status === 'failed') return <Failed problem={state.problem} search={search} onAgain={again} />;
  return (
    <div className="mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-10">
      <ContributionWays search={search} previous={previous} next={next} />
      <ContributionView
        contribution={state.contribution}
        onChanged={set}
        onGone={gone}
        tell={tell}
        onErased={(answer) => {
          tell({ type: 'gone', id });
          setErased(answer);
        }}
      />
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  );
}

type FailedProps = Readonly<{ problem: keyof typeof deskTexts.problems; search: string; onAgain: () => void }>;

function Failed({ problem, search, onAgain }: FailedProps): ReactNode {
  const gone = problem === 'missing';
  return (
    <ErrorScreen
      title={gone ? texts.goneTitle : texts.failedTitle}
      action={
        <>
          {!gone && <Button onClick={onAgain}>{deskTexts.retry}</Button>}
          <ButtonLink href={`${INBOX_PATH}${search}`}>{texts.back}</ButtonLink>
        </>
      }
    >
      {gone ? texts.gone : deskTexts.problems[problem]}
    </ErrorScreen>
  );
}
