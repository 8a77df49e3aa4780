import type { ReactNode } from 'react';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { partsTexts as texts } from './texts.ts';

export type HowToProps = Readonly<{
  how: string;
  lines: readonly string[];
  /** File and heading in the project's documentation. */
  docs: string;
}>;

/** How to switch a part on: what to do, and lines to copy. */
export function HowTo({ how, lines, docs }: HowToProps): ReactNode {
  const isEnvironment = lines.every((line) => /^[A-Z][\dA-Z_]*=/.test(line));
  return (
    <div>
      <h3 className="font-semibold">{texts.how}</h3>
      <p className="mt-1 max-w-measure">{how}</p>
      <ul className="mt-3 divide-y divide-line rounded-control border border-line bg-sunken">
        {lines.map((line) => (
          <Line key={line} line={line} />
        ))}
      </ul>
      {isEnvironment && <p className="mt-2 max-w-measure text-sm text-muted">{texts.restart}</p>}
      <p className="mt-2 text-sm text-muted">
        {texts.docs} <code className="wrap-anywhere text-ink">{docs}</code>
      </p>
    </div>
  );
}

function Line({ line }: Readonly<{ line: string }>): ReactNode {
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 py-1 pr-1 pl-4">
      <code className="min-w-0 flex-1 py-2 text-sm wrap-anywhere">{line}</code>
      <CopyButton compact text={line} label={texts.copy(line)} failed={texts.copyFailed} />
    </li>
  );
}
