import { clsx } from 'clsx';
import { StrictMode, useEffect, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Breakable } from '#web/ui/breakable.tsx';
import { Mark } from '#web/ui/mark.tsx';
import { ToastProvider } from '#web/ui/toast.tsx';
import './styles.css';
import { Actions, Forms } from './controls.tsx';
import { Feedback } from './feedback.tsx';
import { Media } from './media.tsx';
import { ThemesProvider, Part, Row, Specimen, type Theme } from './specimen.tsx';
import { Surfaces } from './surfaces.tsx';
import { samples } from './texts.ts';

const COLOURS: Readonly<Record<string, readonly string[]>> = {
  ground: ['paper', 'surface', 'sunken', 'line', 'line-strong'],
  text: ['ink', 'muted'],
  accent: ['accent', 'accent-strong', 'accent-ink', 'accent-wash'],
  record: ['record', 'record-strong', 'record-ink', 'record-wash'],
  good: ['good', 'good-ink', 'good-wash'],
  caution: ['caution', 'caution-ink', 'caution-wash'],
};

const SIZES = ['text-3xl', 'text-2xl', 'text-xl', 'text-lg', 'text-base', 'text-sm'] as const;

const VIEWS = { both: ['light', 'dark'], light: ['light'], dark: ['dark'] } as const satisfies Record<
  string,
  readonly Theme[]
>;

type View = keyof typeof VIEWS;

const VIEW_NAMES: Readonly<Record<View, string>> = { both: 'Both', light: 'Light', dark: 'Dark' };

/** The parts of the page by group, each with its id. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Foundations: { colours: 'Colours', type: 'Type' },
  Actions: { button: 'Button', link: 'Link and menu', 'option-card': 'Option card' },
  Forms: { field: 'Field', dropzone: 'Dropzone' },
  Feedback: { notice: 'Notice', toast: 'Toast and badge', progress: 'Progress', 'keep-on-device': 'Keep on device' },
  'Files and sound': { 'file-row': 'File row', 'post-preview': 'Post preview', 'level-meter': 'Level meter' },
  Surfaces: { card: 'Card and tabs', dialog: 'Dialog', screens: 'Screens' },
};

const root = document.querySelector('#root');
if (root === null) throw new Error('catalogue.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ToastProvider>
      <CataloguePage />
    </ToastProvider>
  </StrictMode>,
);

/** All parts of `src/web/ui` in every state, in development only. */
function CataloguePage(): ReactNode {
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
        {Object.entries(GROUPS).map(([name, parts]) => (
          <div key={name}>
            <p className="mb-1.5 text-sm font-semibold">{name}</p>
            <ul className="border-l border-line">
              {Object.entries(parts).map(([id, title]) => (
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

function Foundations(): ReactNode {
  return (
    <>
      <Part id="colours" title="Colours" lead="By role: -ink for text, -wash for grounds, on- for text on the colour.">
        {Object.entries(COLOURS).map(([group, names]) => (
          <Specimen key={group} name={group}>
            <Row>
              {names.map((name) => (
                <Swatch key={name} name={name} />
              ))}
            </Row>
          </Specimen>
        ))}
      </Part>
      <Part id="type" title="Type" lead="Inter, six sizes; headings semibold and balanced, text up to 68 wide.">
        {SIZES.map((size) => (
          <Specimen key={size} name={size}>
            <p className={`${size} truncate font-semibold`}>{samples.flow.title}</p>
          </Specimen>
        ))}
        <Specimen name="Breakable: a mail address in a narrow place">
          <p className="w-36 rounded-sm bg-sunken p-2">
            <Breakable text={samples.emailValue} />
          </p>
        </Specimen>
        <Specimen name="Mark · live">
          <Row>
            <Mark />
            <Mark className="size-12" live />
          </Row>
        </Specimen>
      </Part>
    </>
  );
}

function Swatch({ name }: Readonly<{ name: string }>): ReactNode {
  return (
    <span className="flex w-24 flex-col gap-1.5 text-sm text-muted">
      <span className="h-12 rounded-control border border-line" style={{ background: `var(--${name})` }} />
      {name}
    </span>
  );
}
