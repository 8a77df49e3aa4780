import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** Strokes on a grid of 160 × 104: the thing itself, and in the accent what it waits for. `fill`: closed shapes. */
type Strokes = Readonly<{ fill?: string; line: string; faint?: string; accent: string }>;

/** One voice for all of them: sheets, trays and the five levels of the product's sign. */
const DRAWINGS = {
  /** A tray with nothing in it; five levels come down to it. */
  inbox: {
    fill: 'M30 58h28l8 13h28l8-13h28v26a8 8 0 0 1-8 8H38a8 8 0 0 1-8-8z',
    line: 'M30 58l11-21a6 6 0 0 1 5-3h14M130 58l-11-21a6 6 0 0 0-5-3h-14',
    accent: 'M68 33v8M74 25v24M80 17v40M86 25v24M92 33v8',
  },
  /** A lens over a line without a level. */
  search: {
    fill: 'M100 46a27 27 0 1 1-54 0a27 27 0 1 1 54 0z',
    line: 'M93 65l22 22',
    faint: 'M22 46h16M108 46h30',
    accent: 'M58 46h.01M65.5 46h.01M73 46h.01M80.5 46h.01M88 46h.01',
  },
  /** Sheets, and a place for the first one. */
  contributions: {
    fill: 'M40 26a6 6 0 0 1 6-6h44a6 6 0 0 1 6 6v58a6 6 0 0 1-6 6H46a6 6 0 0 1-6-6zM116 80a16 16 0 1 1-32 0a16 16 0 1 1 32 0z',
    line: 'M52 38h32M52 50h32M52 62h18M108 32l6 1a6 6 0 0 1 5 7l-3 20',
    accent: 'M116 80a16 16 0 1 1-32 0a16 16 0 1 1 32 0zM100 73v14M93 80h14',
  },
  /** Everything is on its way. */
  sent: {
    fill: 'M62 56l68-34-24 66-16-22z',
    line: 'M90 66l40-44M62 56l28 10-2 18 10-9',
    accent: 'M24 84c10-12 20-16 30-15M30 60c6-6 11-8 17-8M46 92c7-7 14-10 22-10',
  },
  /** Nothing is stored about this person. */
  person: {
    line: 'M95 38a15 15 0 1 1-30 0a15 15 0 1 1 30 0z',
    faint: 'M48 90a32 32 0 0 1 64 0',
    accent: 'M112 36l12 12M124 36l-12 12',
  },
  /** A post before its first word. */
  post: {
    fill: 'M44 24a6 6 0 0 1 6-6h60a6 6 0 0 1 6 6v60a6 6 0 0 1-6 6H50a6 6 0 0 1-6-6z',
    line: 'M68 33a7 7 0 1 1-14 0a7 7 0 1 1 14 0zM76 30h24M76 37h14',
    faint: 'M56 66h48M56 76h30',
    accent: 'M58 49v10M53.5 49h9M53.5 59h9',
  },
  /** A sheet on which a voice has left nothing yet. */
  transcript: {
    fill: 'M46 20a6 6 0 0 1 6-6h38l24 24v48a6 6 0 0 1-6 6H52a6 6 0 0 1-6-6z',
    line: 'M90 14v18a6 6 0 0 0 6 6h18',
    faint: 'M58 78h44',
    accent: 'M62 58v4M71 52v16M80 46v28M89 52v16M98 58v4',
  },
  /** Axes that wait for their first bar. */
  figures: {
    line: 'M36 18v66a6 6 0 0 0 6 6h88',
    faint: 'M48 36h76M48 54h76M48 72h76',
    accent: 'M56 84v-6M74 84v-6M92 84v-6M110 84v-6',
  },
  /** Levels that break off. */
  lost: {
    line: 'M28 49v10M37 41v26M46 30v48M55 41v26M64 49v10',
    faint: 'M78 54h56',
    accent: 'M99 33l14 14M113 33L99 47',
  },
} as const satisfies Readonly<Record<string, Strokes>>;

export type DrawingName = keyof typeof DRAWINGS;

/** A line drawing for a screen or list with nothing in it. It says nothing that the words beside it do not say. */
export function Drawing({ name, className }: Readonly<{ name: DrawingName; className?: string }>): ReactNode {
  const { fill, line, faint, accent }: Strokes = DRAWINGS[name];
  return (
    <svg
      viewBox="0 0 160 104"
      aria-hidden
      fill="none"
      strokeWidth="2.25"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={clsx('h-26 w-40 print:hidden', className)}
    >
      {faint !== undefined && <path d={faint} className="stroke-line-strong opacity-60" strokeDasharray="1 7" />}
      {fill !== undefined && <path d={fill} className="fill-surface stroke-line-strong" />}
      <path d={line} className="stroke-line-strong" />
      <path d={accent} className="stroke-accent" strokeWidth="3" />
    </svg>
  );
}

/** A list or panel with nothing in it yet: what it is for and what to do. */
export function EmptyState({
  drawing,
  title,
  children,
  action,
}: Readonly<{ drawing: DrawingName; title: string; children?: ReactNode; action?: ReactNode }>): ReactNode {
  return (
    <div
      className={clsx(
        'flex flex-col items-center gap-1 rounded-card border border-dashed border-line px-6 py-10',
        'text-center',
      )}
    >
      <Drawing name={drawing} className="mb-3" />
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-measure text-muted">{children}</div>}
      {action !== undefined && <div className="mt-4">{action}</div>}
    </div>
  );
}
