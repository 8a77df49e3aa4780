import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import type { DeskContribution } from '#contract/desk.ts';
import { useUser } from '#web/backend/session.ts';
import { W_QUESTIONS } from '#web/backend/w-questions.ts';
import { SectionCard } from '#web/ui/card.tsx';
import type { ContributionViewName } from '../desk-url.ts';
import { ErasePart } from '../erasure/erase-dialog.tsx';
import { PostsView } from '../posts/posts-view.tsx';
import { DraftingContext, useDraftings } from '../posts/use-drafting.ts';
import { countPosts, usePosts } from '../posts/use-posts.ts';
import { StateDialogs } from '../state-change/state-dialogs.tsx';
import { useStateChange } from '../state-change/use-state-change.ts';
import { deskTexts } from '../texts.ts';
import { inTurn, useColleagues } from '../use-desk.tsx';
import { ContactCard } from './contact-card.tsx';
import { ContributionHeader, ViewTabs } from './contribution-header.tsx';
import { FilesCard } from './files-card.tsx';
import { HistoryList, NoteForm } from './history.tsx';
import { MediaSection, useMediaUrls } from './media-section.tsx';
import { usePlayers } from './players.tsx';
import { describeFiles } from './stored-files.ts';
import { contributionTexts as texts } from './texts.ts';
import { WordsSection } from './words-section.tsx';
import { WorkCard } from './work-card.tsx';

type ContributionViewProps = Readonly<{
  contribution: DeskContribution;
  onChanged: (contribution: DeskContribution) => void;
  onErased: (answer: ErasureAnswer) => void;
  /** Another administrator erased the contribution. */
  onMissing: () => void;
  /** Its posts moved, which its state follows. */
  onPostsMoved: () => void;
}>;

/** Shows the material of a contribution or its posts. */
export function ContributionView({
  view,
  search,
  ...props
}: ContributionViewProps & Readonly<{ view: ContributionViewName; search: string }>): ReactNode {
  const { contribution, onPostsMoved } = props;
  // Kept here, for the way back from the material.
  const [post, setPost] = useState<number>();
  usePostMoves(contribution, onPostsMoved);
  return (
    <DraftingContext value={useDraftings(contribution.id)}>
      <ContributionHeader contribution={contribution} />
      <ViewTabs id={contribution.id} view={view} search={search} />
      {view === 'posts' ? (
        <PostsView contribution={contribution} chosen={post} onChoose={setPost} />
      ) : (
        <MaterialView {...props} search={search} />
      )}
    </DraftingContext>
  );
}

/** Answers come by link at any time, and only the posts are requested again and again. */
function usePostMoves({ id, posts: known }: DeskContribution, onMoved: () => void): void {
  const { data } = usePosts(id);
  const moves = data?.posts.map(({ id: post, state, withdrawnAt }) => `${post} ${state} ${withdrawnAt}`);
  // The contribution says whether a mail was sent or refused, so it is read again when that may have changed.
  const states = moves && [data?.mailWaiting, ...moves].join();
  const seen = useRef(states);
  useEffect(() => {
    if (data === undefined) return;
    // Answers may have come between the contribution and the first list of its posts.
    const moved = seen.current === undefined ? !matches(countPosts(data.posts), known) : states !== seen.current;
    seen.current = states;
    if (moved) onMoved();
    // oxlint-disable-next-line react/exhaustive-deps -- a new callback is no new state
  }, [states]);
}

type Counts = ReturnType<typeof countPosts>;

function matches({ approved, changes, total }: Counts, known: DeskContribution['posts']): boolean {
  if (known === null) return total === 0;
  return approved === known.approved && total === known.total && changes === (known.changes ?? changes);
}

/** The material at the left and the work on it at the right; on a phone in one column. */
function MaterialView(props: ContributionViewProps & Readonly<{ search: string }>): ReactNode {
  const { contribution, onChanged, onErased, onMissing, search } = props;
  const ownId = useUser()?.id ?? '';
  const colleagues = useColleagues();
  const [announcement, setAnnouncement] = useState('');
  const files = useMemo(() => describeFiles(contribution.fileList), [contribution.fileList]);
  const players = usePlayers(contribution.id);
  const media = useMediaUrls(files);
  const changed = (after: DeskContribution): void => {
    onChanged(after);
    if (after.state !== contribution.state) setAnnouncement(texts.changed(deskTexts.states[after.state]));
    else if (after.assignee !== contribution.assignee) {
      setAnnouncement(
        texts.assigned(after.assignee === null ? deskTexts.nobody : after.assigneeEmail || texts.colleague),
      );
    } else if (after.contributorEmail !== contribution.contributorEmail) {
      setAnnouncement(texts.correct.done(after.contributorEmail ?? ''));
    }
  };
  const changes = useStateChange({ ...inTurn(contribution.id), onChanged: changed, onMissing });
  return (
    <>
      <div className="grid items-start gap-4 print:block lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
        <div className="min-w-0 print:hidden lg:col-start-2">
          <WorkCard
            contribution={contribution}
            changes={changes}
            colleagues={colleagues}
            ownId={ownId}
            search={search}
          />
        </div>
        <div className="flex min-w-0 flex-col gap-4 print:mb-4 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <div className="flex flex-col gap-4 empty:hidden print:hidden">
            <MediaSection files={files} media={media} players={players} contribution={contribution} />
          </div>
          <WordsSection contribution={contribution} players={players} />
          <AnswersCard answers={contribution.answers} />
          <FilesCard id={contribution.id} files={files} onChanged={changed} />
        </div>
        <div className="flex min-w-0 flex-col gap-4 lg:col-start-2">
          <ContactCard contribution={contribution} onChanged={changed} onMissing={onMissing} />
          <div className="flex flex-col gap-4 print:hidden">
            <SectionCard title={texts.history}>
              <div className="flex flex-col gap-6">
                <NoteForm key={contribution.id} contribution={contribution} onChanged={changed} onMissing={onMissing} />
                <HistoryList events={contribution.events} />
              </div>
            </SectionCard>
            <ErasePart contribution={contribution} onErased={onErased} />
          </div>
        </div>
      </div>
      <output className="sr-only">{announcement}</output>
      <StateDialogs changes={changes} />
    </>
  );
}

/** Shows the answers to the five W-questions (§3). */
function AnswersCard({ answers }: Readonly<{ answers: Readonly<Record<string, string>> | null }>): ReactNode {
  if (answers === null) return null;
  return (
    <SectionCard title={texts.answers}>
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[5rem_minmax(0,1fr)]">
        {W_QUESTIONS.map((question) => {
          const answer = answers[question]?.trim() ?? '';
          return (
            <div key={question} className="contents">
              <dt className="text-muted max-sm:-mb-2.5 max-sm:text-sm">{texts.questions[question]}</dt>
              <dd className="whitespace-pre-wrap [overflow-wrap:anywhere]">
                {answer === '' ? <span className="text-muted">{texts.noAnswer}</span> : answer}
              </dd>
            </div>
          );
        })}
      </dl>
    </SectionCard>
  );
}
