import type { ReactNode } from 'react';
import { IconButton } from '#web/ui/button.tsx';
import { Copy } from '#web/ui/screen-icons.ts';
import { useToast } from '#web/ui/toast.tsx';
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
  const toast = useToast();
  const copy = (): void =>
    void navigator.clipboard.writeText(line).then(
      () => toast({ title: texts.copied, variant: 'good' }),
      () => toast({ title: texts.copyFailed, variant: 'caution' }),
    );
  return (
    <li className="flex items-center justify-between gap-2 py-1 pr-1 pl-4">
      <code className="min-w-0 py-2 text-sm wrap-anywhere">{line}</code>
      <IconButton label={texts.copy(line)} icon={<Copy aria-hidden className="size-5" />} onClick={copy} />
    </li>
  );
}
