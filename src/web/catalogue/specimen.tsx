import { clsx } from 'clsx';
import { createContext, useContext, type ReactNode } from 'react';

export type Theme = 'light' | 'dark';

/** The themes that everything is shown in. */
const Themes = createContext<readonly Theme[]>(['light', 'dark']);
export const ThemesProvider = Themes.Provider;

export type PartProps = Readonly<{
  id: string;
  title: string;
  /** When it is used, in one sentence. */
  lead: string;
  /** Specimens, drawn once for each theme. */
  children: ReactNode;
}>;

/** A part of the design system with all of its states. */
export function Part({ id, title, lead, children }: PartProps): ReactNode {
  const themes = useContext(Themes);
  return (
    <section id={id} className="scroll-mt-24 border-t border-line pt-8 pb-12 first:border-t-0 first:pt-0">
      <h2 className="text-xl font-semibold">{title}</h2>
      <p className="mt-1 mb-5 max-w-measure text-muted">{lead}</p>
      <div className={clsx('grid gap-4', themes.length > 1 && '2xl:grid-cols-2')}>
        {themes.map((theme) => (
          <div
            key={theme}
            data-theme={theme}
            className="grid min-w-0 content-start gap-x-6 gap-y-7 rounded-card border border-line bg-paper p-5 text-ink sm:grid-cols-2 sm:p-7"
          >
            {children}
          </div>
        ))}
      </div>
    </section>
  );
}

/** One state with its name above it; `wide` takes the whole row. */
export function Specimen({
  name,
  wide = false,
  children,
}: Readonly<{ name: string; wide?: boolean; children: ReactNode }>): ReactNode {
  return (
    <div className={clsx('flex min-w-0 flex-col gap-2.5', wide && 'sm:col-span-2')}>
      <p className="font-mono text-sm text-muted">{name}</p>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

export function Row({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return <div className="flex flex-wrap items-center gap-2.5">{children}</div>;
}
