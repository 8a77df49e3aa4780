import { type ReactNode, useRef } from 'react';
import { DESK_STATES, type DeskColleague, type DeskContribution, type DeskState } from '#contract/desk.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Field, Select } from '#web/ui/field.tsx';
import { ChevronDown } from '#web/ui/icons.tsx';
import { Anchor, Link } from '#web/ui/link.tsx';
import { Menu, MenuChoice } from '#web/ui/menu.tsx';
import { ExternalLink } from '#web/ui/screen-icons.ts';
import { useFocusHandover } from '#web/ui/use-focus-handover.ts';
import { getStateIcon, StateBadge, StateIcon } from '../badges.tsx';
import { contributionHref, parseFilter } from '../desk-url.ts';
import { toDeskItem } from '../listing.ts';
import { ChangeErrorNotice } from '../state-change/state-dialogs.tsx';
import type { StateChange } from '../state-change/use-state-change.ts';
import { deskTexts } from '../texts.ts';
import { contributionTexts as texts } from './texts.ts';

type WorkCardProps = Readonly<{
  contribution: DeskContribution;
  changes: StateChange;
  colleagues: readonly DeskColleague[];
  ownId: string;
  /** Search part of the list the contribution was opened from. */
  search: string;
}>;

/** The usual next state, offered as the main button. */
const NEXT: Readonly<Record<DeskState, DeskState | undefined>> = {
  new: 'in_progress',
  in_progress: 'for_review',
  for_review: 'published',
  published: undefined,
  rejected: 'in_progress',
};

/** Posts go for review in their own view, with a link; the message here is for contributions without posts. */
export function WorkCard({ contribution, changes, colleagues, ownId, search }: WorkCardProps): ReactNode {
  const { state, publishedUrl } = contribution;
  const item = toDeskItem(contribution);
  const next = NEXT[state];
  const toPosts = useRef<HTMLAnchorElement>(null);
  // It stands where the button was that was pressed.
  const handOver = useFocusHandover(toPosts);
  return (
    <SectionCard title={texts.work} action={<StateBadge state={state} />}>
      <div className="flex flex-col gap-5">
        {changes.error !== undefined && changes.dialog.kind === 'none' && (
          <ChangeErrorNotice error={changes.error} draft="none" />
        )}
        <div className="flex flex-col gap-2">
          {next === 'for_review' && contribution.posts !== null ? (
            <Anchor
              ref={toPosts}
              href={contributionHref(contribution.id, parseFilter(search), 'posts')}
              className={buttonClass('primary', { wide: true })}
            >
              <StateIcon state={next} className="size-5" />
              {texts.toPosts}
            </Anchor>
          ) : (
            next !== undefined && (
              <Button
                ref={handOver}
                wide
                busy={changes.busy}
                busyLabel={deskTexts.working}
                icon={getStateIcon(next)}
                onClick={() => changes.begin(item, { state: next })}
              >
                {texts.nextStep[state]}
              </Button>
            )
          )}
          <Menu
            label={texts.otherState}
            trigger={
              <Button variant="secondary" wide icon={ChevronDown}>
                {texts.otherState}
              </Button>
            }
          >
            {DESK_STATES.map((one) => (
              <MenuChoice
                key={one}
                icon={getStateIcon(one)}
                current={one === state}
                onChoose={() => changes.begin(item, { state: one })}
              >
                {deskTexts.states[one]}
              </MenuChoice>
            ))}
          </Menu>
        </div>
        {publishedUrl !== null && <Published url={publishedUrl} />}
        <Assignee contribution={contribution} changes={changes} colleagues={colleagues} ownId={ownId} />
      </div>
    </SectionCard>
  );
}

function Published({ url }: Readonly<{ url: string }>): ReactNode {
  return (
    <div>
      <p className="text-sm text-muted">{texts.publishedAt}</p>
      <Link
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        className="inline-flex min-h-11 max-w-full items-center gap-2 [overflow-wrap:anywhere]"
      >
        <ExternalLink className="size-4.5 shrink-0" />
        <span className="min-w-0">{url}</span>
      </Link>
    </div>
  );
}

function Assignee({ contribution, changes, colleagues, ownId }: Omit<WorkCardProps, 'search'>): ReactNode {
  const { assignee, assigneeEmail } = contribution;
  const item = toDeskItem(contribution);
  const offered = colleagues.filter(({ id, locked }) => locked !== true || id === assignee);
  const known = assignee === null || offered.some(({ id }) => id === assignee);
  const select = useRef<HTMLSelectElement>(null);
  const give = (id: string | null): void => {
    // The button 'Mir zuweisen' disappears with the assignment, and would take the focus with it.
    select.current?.focus();
    if (id !== assignee) changes.begin(item, { assignee: id });
  };
  return (
    <div className="flex flex-col gap-2">
      <Field label={texts.assignee}>
        <Select
          ref={select}
          value={assignee ?? ''}
          onChange={(event) => give(event.target.value === '' ? null : event.target.value)}
          options={offered.map((colleague) => [colleague.id, deskTexts.formatColleague(colleague)])}
        >
          <option value="">{deskTexts.nobody}</option>
          {!known && <option value={assignee}>{assigneeEmail || texts.colleague}</option>}
        </Select>
      </Field>
      {assignee !== ownId && (
        <Button variant="quiet" wide onClick={() => give(ownId)}>
          {texts.toMe}
        </Button>
      )}
    </div>
  );
}
