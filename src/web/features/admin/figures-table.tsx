import { Table2 } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { activityTexts as texts } from './texts.ts';

export type FiguresTableProps = Readonly<{
  caption: string;
  head: readonly string[];
  /** The first cell of a row names it. */
  rows: readonly (readonly string[])[];
}>;

/** The figures behind a chart: always there for screen readers, shown to everybody on demand. */
export function FiguresTable({ caption, head, rows }: FiguresTableProps): ReactNode {
  const [shown, setShown] = useState(false);
  const id = useId();
  return (
    <div className="mt-4">
      <div className="-ml-5">
        <Button
          variant="quiet"
          icon={<Table2 aria-hidden className="size-5" />}
          aria-expanded={shown}
          aria-controls={id}
          onClick={() => setShown(!shown)}
        >
          {shown ? texts.hideTable : texts.showTable}
        </Button>
      </div>
      <div id={id} className={shown ? 'mt-2' : 'sr-only'}>
        <table className="tabular w-full border-collapse text-sm">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-b border-line-strong">
              {head.map((title, column) => (
                <th key={title} scope="col" className={cell(column)}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name = '', ...cells]) => (
              <tr key={name} className="border-b border-line">
                <th scope="row" className={`${cell(0)} font-normal`}>
                  {name}
                </th>
                {cells.map((text, column) => (
                  <td key={head[column + 1]} className={cell(column + 1)}>
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function cell(column: number): string {
  return column === 0 ? 'py-2 pr-3 text-left font-medium' : 'py-2 pl-3 text-right';
}
