import { type ReactNode, useState } from 'react';
import type { DeskColleague, DeskItem } from '#contract/desk.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { useShown } from '#web/submission/use-running-work.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field, Select } from '#web/ui/field.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { Users } from '#web/ui/screen-icons.ts';
import { useToast } from '#web/ui/toast.tsx';
import { parseFilter } from '../desk-url.ts';
import { type Listing, toDeskItem } from '../listing.ts';
import { ProblemNotice } from '../notices.tsx';
import { assignTexts as texts, deskTexts } from '../texts.ts';
import { useDesk, useDeskAction } from '../use-desk.tsx';

type AssignAllProps = Readonly<{
  listing: Listing;
  colleagues: readonly DeskColleague[];
  /** A row as it is now. */
  onChanged: (item: DeskItem) => void;
  onEnd: () => void;
}>;

/** Assigns what a filter shows: a morning's contributions, or those of a colleague who leaves (decision 0421). */
export function AssignAll({ listing, ...rest }: AssignAllProps): ReactNode {
  const [open, setOpen] = useState(false);
  if (listing.status !== 'ready') return null;
  const { items, search, next } = listing;
  const isFiltered = Object.keys(parseFilter(search)).some((name) => name !== 'sort');
  if (!open && (!isFiltered || items.length < 2)) return null;
  return (
    <div className="-my-1 -mr-2 ml-auto">
      <Button variant="quiet" icon={Users} onClick={() => setOpen(true)}>
        {texts.open(formatNumber(items.length))}
      </Button>
      {open && <AssignDialog items={items} isAll={next === null} {...rest} onClose={() => setOpen(false)} />}
    </div>
  );
}

type AssignDialogProps = Omit<AssignAllProps, 'listing'> &
  Readonly<{ items: readonly DeskItem[]; isAll: boolean; onClose: () => void }>;

const NOBODY = 'none';

function AssignDialog({ items, isAll, colleagues, onChanged, onEnd, onClose }: AssignDialogProps): ReactNode {
  const desk = useDesk();
  const toast = useToast();
  const opened = useShown();
  const [chosen, setChosen] = useState('');
  // What comes in behind the dialog nobody has seen.
  const [shown] = useState(() => new Set(items.map(({ id }) => id)));
  const { run, busy, error } = useDeskAction({
    mutationFn: async (assignee: string | null) => {
      let [done, left] = [0, 0];
      for (const { id, version } of items.filter((item) => shown.has(item.id) && item.assignee !== assignee)) {
        if (!opened.current) break;
        try {
          // oxlint-disable-next-line no-await-in-loop -- the server is there for the others, too
          onChanged(toDeskItem(await desk.change(id, version, { assignee })));
          done += 1;
        } catch (problem) {
          // What a colleague has changed or erased meanwhile stays as it is now.
          if (!['conflict', 'missing'].includes(getDeskProblem(problem))) throw problem;
          left += 1;
        }
      }
      return { done, left };
    },
    onSuccess: ({ done, left }) => {
      toast({ title: texts.done(done), variant: 'good', ...(left > 0 && { description: texts.left(left) }) });
      onEnd();
      onClose();
    },
    onError: onEnd,
  });
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={texts.title(formatNumber(shown.size))}
      description={isAll ? texts.all : texts.loaded}
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            {deskTexts.cancel}
          </Button>
          <Button
            idle={chosen === ''}
            busy={busy}
            busyLabel={deskTexts.working}
            onClick={() => void run(chosen === NOBODY ? null : chosen)}
          >
            {texts.assign}
          </Button>
        </>
      }
    >
      <Field label={texts.to}>
        <Select
          value={chosen}
          onChange={({ target }) => setChosen(target.value)}
          options={colleagues.filter(({ locked }) => locked !== true).map(({ id, email }) => [id, email])}
        >
          <option value="" disabled hidden>
            {texts.choose}
          </option>
          <option value={NOBODY}>{deskTexts.nobody}</option>
        </Select>
      </Field>
      {error !== null && (
        <div className="mt-4">
          <ProblemNotice problem={getDeskProblem(error)} />
        </div>
      )}
    </Dialog>
  );
}
