import { clsx } from 'clsx';
import { useEffect, useState, type ReactNode } from 'react';
import { Mark } from '#web/ui/mark.tsx';
import { Actions } from './actions.tsx';
import { Feedback } from './feedback.tsx';
import { Forms } from './forms.tsx';
import { Foundations } from './foundations.tsx';
import { Media } from './media.tsx';
import { ThemesProvider, type Theme } from './specimen.tsx';
import { Surfaces } from './surfaces.tsx';

const VIEWS = { both: ['light', 'dark'], light: ['light'], dark: ['dark'] } as const satisfies Record<
  string,
  readonly Theme[]
>;
type View = keyof typeof VIEWS;
const VIEW_NAMES: Readonly<Record<View, string>> = { both: 'Both', light: 'Light', dark: 'Dark' };

const GROUPS: readonly Readonly<{ name: string; parts: readonly (readonly [id: string, title: string])[] }>[] = [
  {
    name: 'Foundations',
    parts: [
      ['colours', 'Colours'],
      ['type', 'Type'],
    ],
  },
  {
    name: 'Actions',
    parts: [
      ['button', 'Button'],
      ['link', 'Link and menu'],
      ['option-card', 'Option card'],
    ],
  },
  {
    name: 'Forms',
    parts: [
      ['field', 'Field'],
      ['dropzone', 'Dropzone'],
    ],
  },
  {
    name: 'Feedback',
    parts: [
      ['notice', 'Notice'],
      ['toast', 'Toast and badge'],
      ['progress', 'Progress'],
      ['keep-on-device', 'Keep on device'],
    ],
  },
  {
    name: 'Files and sound',
    parts: [
      ['file-row', 'File row'],
      ['post-preview', 'Post preview'],
      ['level-meter', 'Level meter'],
    ],
  },
  {
    name: 'Surfaces',
    parts: [
      ['card', 'Card and tabs'],
      ['dialog', 'Dialog'],
      ['screens', 'Screens'],
    ],
  },
];

/** All parts of `src/web/ui` in every state, in development only. */
export function CataloguePage(): ReactNode {
  const [view, setView] = useState<View>('both');
  useEffect(() => {
    // Dialogs and toasts stand outside the specimens.
    if (view === 'both') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = view;
  }, [view]);
  return (
    <ThemesProvider value={VIEWS[view]}>
      <header className="sticky top-0 z-30 border-b border-line bg-paper">
        <div className="mx-auto flex h-(--header-height) max-w-[110rem] items-center gap-3 px-4 sm:px-8">
          <Mark />
          <p className="flex-1 font-semibold">UI catalogue</p>
          <ViewSwitch view={view} onChange={setView} />
        </div>
      </header>
      <div className="mx-auto grid max-w-[110rem] gap-10 px-4 py-8 sm:px-8 lg:grid-cols-[12rem_minmax(0,1fr)]">
        <Contents />
        <main id="inhalt" className="min-w-0">
          <Foundations />
          <Actions />
          <Forms />
          <Feedback />
          <Media />
          <Surfaces />
        </main>
      </div>
    </ThemesProvider>
  );
}

function ViewSwitch({ view, onChange }: Readonly<{ view: View; onChange: (view: View) => void }>): ReactNode {
  return (
    <fieldset aria-label="Theme" className="flex gap-1 rounded-control bg-sunken p-1">
      {(Object.keys(VIEWS) as View[]).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === view}
          onClick={() => onChange(each)}
          className={clsx(
            'rounded-sm px-3 py-1.5 text-sm font-medium',
            each === view ? 'bg-surface text-ink' : 'text-muted',
          )}
        >
          {VIEW_NAMES[each]}
        </button>
      ))}
    </fieldset>
  );
}

function Contents(): ReactNode {
  return (
    <nav aria-label="Parts" className="max-lg:hidden">
      <div className="sticky top-24 flex flex-col gap-6">
        {GROUPS.map(({ name, parts }) => (
          <div key={name}>
            <p className="mb-1.5 text-sm font-semibold">{name}</p>
            <ul className="border-l border-line">
              {parts.map(([id, title]) => (
                <li key={id}>
                  <a
                    href={`#${id}`}
                    className="-ml-px block border-l border-line py-1 pl-3 text-sm text-muted hover:border-accent hover:text-accent-ink"
                  >
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}
