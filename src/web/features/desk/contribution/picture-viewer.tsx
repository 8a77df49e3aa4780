import { Dialog } from 'radix-ui';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { IconButton } from '#web/ui/button.tsx';
import { FULL_SCREEN } from '#web/ui/dialog.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { X } from '#web/ui/icons.tsx';
import { ChevronLeft, ChevronRight, Maximize, ZoomIn, ZoomOut } from '#web/ui/screen-icons.ts';
import { deskTexts } from '../texts.ts';
import { contributionTexts } from './texts.ts';

const texts = contributionTexts.viewer;
const PERCENT = 100;
const STEPS = [
  [texts.previous, ChevronLeft, -1],
  [texts.next, ChevronRight, 1],
] as const;

export type Picture = Readonly<{ url: string; name: string }>;

type PictureViewerProps = Readonly<{
  pictures: readonly Picture[];
  contributor: string;
  index: number;
  onGo: (index: number) => void;
  onClose: () => void;
}>;

/** Shows one picture on the whole screen. Keys: arrows, + and -, 0 to fit, Escape. */
export function PictureViewer({ pictures, contributor, index, onGo, onClose }: PictureViewerProps): ReactNode {
  const [zoom, setZoom] = useState<Zoom>(FIT);
  const picture = pictures[index];
  const go = (step: number): void => {
    const next = index + step;
    if (next < 0 || next >= pictures.length) return;
    setZoom(FIT);
    onGo(next);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => go(-1),
    ArrowRight: () => go(1),
    '+': () => setZoom((before) => stepZoom(before, 'in')),
    '-': () => setZoom((before) => stepZoom(before, 'out')),
    '0': () => setZoom(FIT),
  };
  const press = (event: KeyboardEvent): void => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    // Arrow keys scroll a zoomed picture.
    if (action === undefined || (zoom > FIT && event.key.startsWith('Arrow'))) return;
    event.preventDefault();
    action();
  };
  if (picture === undefined) return null;
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Content {...FULL_SCREEN} onKeyDown={press}>
          <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-1.5 sm:px-5">
            <Dialog.Title className="tabular min-w-0 truncate font-medium" aria-live="polite">
              {texts.position(index + 1, pictures.length)}
              <span className="ml-3 font-normal text-muted">{picture.name}</span>
            </Dialog.Title>
            <div className="flex items-center">
              <ZoomButtons zoom={zoom} onZoom={setZoom} />
              <Dialog.Close asChild>
                <IconButton label={deskTexts.close} icon={X} />
              </Dialog.Close>
            </div>
          </div>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolling needs a keyboard too */}
          <section className="min-h-0 flex-1 overflow-auto" tabIndex={0} aria-label={picture.name}>
            <div
              className="flex items-center justify-center"
              style={{ width: `${zoom * PERCENT}%`, height: `${zoom * PERCENT}%` }}
            >
              <img
                src={picture.url}
                alt={texts.alt(index + 1, pictures.length, deskTexts.by(contributor))}
                className="max-h-full max-w-full object-contain"
                style={zoom > FIT ? { width: '100%', height: '100%' } : undefined}
              />
            </div>
          </section>
          {pictures.length > 1 && (
            <div className="flex justify-center gap-3 border-t border-line p-1.5">
              {STEPS.map(([label, icon, by]) => (
                <IconButton
                  key={label}
                  label={label}
                  icon={icon}
                  iconClass="size-6"
                  disabled={pictures[index + by] === undefined}
                  onClick={() => go(by)}
                />
              ))}
            </div>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function ZoomButtons({ zoom, onZoom }: Readonly<{ zoom: Zoom; onZoom: (zoom: Zoom) => void }>): ReactNode {
  return (
    <>
      <IconButton
        label={texts.smaller}
        icon={ZoomOut}
        disabled={zoom <= FIT}
        onClick={() => onZoom(stepZoom(zoom, 'out'))}
      />
      <output className="tabular w-14 text-center text-sm text-muted">
        {texts.zoom(formatNumber(Math.round(zoom * PERCENT)))}
      </output>
      <IconButton
        label={texts.larger}
        icon={ZoomIn}
        disabled={zoom >= MAX_ZOOM}
        onClick={() => onZoom(stepZoom(zoom, 'in'))}
      />
      <IconButton label={texts.fit} icon={Maximize} disabled={zoom === FIT} onClick={() => onZoom(FIT)} />
    </>
  );
}

/** Zoom factor; 1 fits the whole picture on the screen. */
type Zoom = number;

const FIT: Zoom = 1;
const MAX_ZOOM: Zoom = 8;
const STEP = 1.5;

function stepZoom(zoom: Zoom, way: 'in' | 'out'): Zoom {
  const next = way === 'in' ? zoom * STEP : zoom / STEP;
  return Math.min(MAX_ZOOM, Math.max(FIT, next));
}
