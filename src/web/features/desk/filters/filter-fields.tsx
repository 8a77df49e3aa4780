import { clsx } from 'clsx';
import { type ReactNode, useState } from 'react';
import { AREAS } from '#contract/areas.ts';
import { CONTRIBUTION_KINDS, DESK_SORTS, type DeskColleague } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field, Select } from '#web/ui/field.tsx';
import { ListFilter } from '#web/ui/screen-icons.ts';
import type { DeskFilter } from '../desk-url.ts';
import { deskTexts, filterTexts as texts } from '../texts.ts';
import { DayField } from './day-field.tsx';
import { countFilters, type FilterChange, toggle } from './use-filter.ts';

type FilterFieldsProps = Readonly<{
  filter: DeskFilter;
  colleagues: readonly DeskColleague[];
  /** Account id of the administrator who is signed in. */
  ownId: string;
  onChange: (change: FilterChange) => void;
}>;

/** Every control filters the list at once. */
export function FilterFields({ filter, colleagues, ownId, onChange }: FilterFieldsProps): ReactNode {
  return (
    <div className="flex flex-col gap-6">
      <Field label={texts.sort}>
        <Select
          value={filter.sort ?? 'newest'}
          onChange={(event) => onChange({ sort: DESK_SORTS.find((sort) => sort === event.target.value) })}
          options={DESK_SORTS.map((sort) => [sort, texts.sorts[sort]])}
        />
      </Field>
      <Choices
        legend={texts.area}
        options={AREAS.map(({ id }) => [id, deskTexts.formatArea(id)])}
        chosen={filter.areas}
        onToggle={(id) => onChange({ areas: toggle(filter.areas, id) })}
      />
      <Choices
        legend={texts.kind}
        options={CONTRIBUTION_KINDS.map((kind) => [kind, deskTexts.kinds[kind]])}
        chosen={filter.kinds}
        onToggle={(kind) => onChange({ kinds: toggle(filter.kinds, kind) })}
      />
      <Field label={texts.contact}>
        <Select
          value={filter.finished === undefined ? '' : String(filter.finished)}
          onChange={(event) =>
            onChange({ finished: event.target.value === '' ? undefined : event.target.value === 'true' })
          }
        >
          <option value="">{texts.any}</option>
          <option value="true">{texts.finished}</option>
          <option value="false">{texts.unfinished}</option>
        </Select>
      </Field>
      <Assignee value={filter.assignee} colleagues={colleagues} ownId={ownId} onChange={onChange} />
      <Days filter={filter} onChange={onChange} />
    </div>
  );
}

function Assignee({
  value,
  colleagues,
  ownId,
  onChange,
}: Omit<FilterFieldsProps, 'filter'> & Readonly<{ value: string | undefined }>): ReactNode {
  const known = value === undefined || value === 'none' || value === ownId || colleagues.some(({ id }) => id === value);
  return (
    <Field label={texts.assignee}>
      <Select value={value ?? ''} onChange={(event) => onChange({ assignee: event.target.value || undefined })}>
        <option value="">{texts.any}</option>
        <option value="none">{texts.nobody}</option>
        <option value={ownId}>{texts.mine}</option>
        {colleagues
          .filter(({ id }) => id !== ownId)
          .map((colleague) => (
            <option key={colleague.id} value={colleague.id}>
              {deskTexts.formatColleague(colleague)}
            </option>
          ))}
        {!known && <option value={value}>{texts.unknownColleague}</option>}
      </Select>
    </Field>
  );
}

function Days({ filter, onChange }: Pick<FilterFieldsProps, 'filter' | 'onChange'>): ReactNode {
  const { from, until } = filter;
  const wrong = from !== undefined && until !== undefined && until < from;
  return (
    <div className="flex flex-col gap-4">
      <DayField label={texts.from} value={from} onChange={(day) => onChange({ from: day })} />
      <DayField
        label={texts.until}
        value={until}
        error={wrong ? texts.wrongOrder : undefined}
        onChange={(day) => onChange({ until: day })}
      />
    </div>
  );
}

type ChoicesProps<T> = Readonly<{
  legend: string;
  options: readonly (readonly [value: T, label: string])[];
  chosen: readonly T[] | undefined;
  onToggle: (value: T) => void;
}>;

function Choices<T extends string>({ legend, options, chosen = [], onToggle }: ChoicesProps<T>): ReactNode {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      <div className="-mx-2 flex flex-col">
        {options.map(([value, label]) => (
          <label
            key={value}
            className={clsx(
              'touch flex cursor-pointer items-center gap-3 rounded-control px-2 transition-colors hover:bg-sunken',
              'pointer-fine:min-h-9',
              chosen.includes(value) && 'font-medium',
            )}
          >
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => onToggle(value)}
              className="size-4.5 cursor-pointer"
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The same controls in a dialog, for narrow screens. */
export function FilterSheet(props: FilterFieldsProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="secondary" icon={ListFilter} onClick={() => setOpen(true)}>
        {texts.open(countFilters(props.filter))}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={texts.title}
        actions={<Button onClick={() => setOpen(false)}>{texts.show}</Button>}
      >
        <FilterFields {...props} />
      </Dialog>
    </>
  );
}
