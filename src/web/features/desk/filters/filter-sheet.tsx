import { ListFilter } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { filtersIn } from './filter-change.ts';
import { FilterFields, type FilterFieldsProps } from './filter-fields.tsx';
import { filterTexts as texts } from './texts.ts';

/** The same controls where there is no room beside the list. */
export function FilterSheet(props: FilterFieldsProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="secondary" icon={<ListFilter aria-hidden className="size-5" />} onClick={() => setOpen(true)}>
        {texts.open(filtersIn(props.filter))}
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
