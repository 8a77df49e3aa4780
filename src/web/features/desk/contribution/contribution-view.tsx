import { useMemo, useState, type ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { useUser } from '#web/backend/session.ts';
import { SectionCard } from '#web/ui/card.tsx';
import { rowOf, type ListingEvent } from '../listing.ts';
import { StateDialogs } from '../state-change/state-dialogs.tsx';
import { useStateChange } from '../state-change/use-state-change.ts';
import { deskTexts } from '../texts.ts';
import { useColleagues } from '../use-desk.ts';
import { AnswersCard } from './answers-card.tsx';
import { ContactCard } from './contact-card.tsx';
import { ContributionHeader } from './contribution-header.tsx';
import { ErasePart } from './erase-part.tsx';
import { FilesCard } from './files-card.tsx';
import { HistoryList } from './history-list.tsx';
import { MediaSection } from './media-section.tsx';
import { NoteForm } from './note-form.tsx';
import { storedFiles } from './stored-files.ts';
import { contributionTexts as texts } from './texts.ts';
import { useMediaUrls } from './use-media-urls.ts';
import { usePlayers } from './use-players.ts';
import { WordsSection } from './words-section.tsx';
import { WorkCard } from './work-card.tsx';

type ContributionViewProps = Readonly<{
  contribution: DeskContribution;
  onChanged: (contribution: DeskContribution) => void;
  /** The list one came from. */
  tell: (event: ListingEvent) => void;
  onErased: (answer: ErasureAnswer) => void;
  /** Somebody else erased it. */
  onGone: () => void;
}>;

/** The material at the left, what is done with it at the right; on a phone one below the other. */
export function ContributionView(props: ContributionViewProps): ReactNode {
  const { contribution, onChanged, tell, onErased, onGone } = props;
  const own = useUser()?.id ?? '';
  const colleagues = useColleagues();
  const [said, setSaid] = useState('');
  const files = useMemo(() => storedFiles(contribution.fileList), [contribution.fileList]);
  const players = usePlayers();
  const media = useMediaUrls(
    useMemo(
      () =>
        files
          .filter(({ use, there }) => there === 'yes' && (use === 'audio' || use === 'video' || use === 'picture'))
          .map(({ file }) => file.path),
      [files],
    ),
  );
  const changed = (after: DeskContribution): void => {
    onChanged(after);
    tell({ type: 'changed', item: rowOf(after) });
    if (after.state !== contribution.state) setSaid(texts.changed(deskTexts.states[after.state]));
    else if (after.assignee !== contribution.assignee) {
      setSaid(texts.assigned(after.assignee === null ? deskTexts.nobody : after.assigneeEmail || texts.colleague));
    }
  };
  const changes = useStateChange({ onChanged: changed, onGone });
  return (
    <>
      <ContributionHeader contribution={contribution} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem] lg:grid-rows-[auto_1fr]">
        <div className="min-w-0 lg:col-start-2">
          <WorkCard contribution={contribution} changes={changes} colleagues={colleagues} own={own} />
        </div>
        <div className="flex min-w-0 flex-col gap-4 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <MediaSection files={files} media={media} players={players} contributor={contribution.contributor} />
          <WordsSection contribution={contribution} players={players} />
          <AnswersCard answers={contribution.answers} />
          <FilesCard id={contribution.id} files={files} />
        </div>
        <div className="flex min-w-0 flex-col gap-4 lg:col-start-2">
          <ContactCard contribution={contribution} />
          <SectionCard title={texts.history}>
            <div className="flex flex-col gap-6">
              <NoteForm contribution={contribution} onChanged={changed} onGone={onGone} />
              <HistoryList events={contribution.events} />
            </div>
          </SectionCard>
          <ErasePart contribution={contribution} onErased={onErased} />
        </div>
      </div>
      <output className="sr-only">{said}</output>
      <StateDialogs changes={changes} />
    </>
  );
}
