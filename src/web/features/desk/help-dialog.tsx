import { clsx } from 'clsx';
import { Fragment, useState, type ReactNode } from 'react';
import { Dialog } from '#web/ui/dialog.tsx';
import { areKeysOff, switchKeys } from './shortcuts.ts';
import { deskTexts as texts } from './texts.ts';

const { escape, enter, shift, or } = texts.keyNames;

/** Each line lists alternative keys and their meaning. */
const LINES = [
  { keys: [['j']], meaning: texts.keysMeaning.next },
  { keys: [['k']], meaning: texts.keysMeaning.previous },
  { keys: [[enter], ['o']], meaning: texts.keysMeaning.open },
  { keys: [['u'], [escape]], meaning: texts.keysMeaning.back },
  { keys: [['/']], meaning: texts.keysMeaning.search },
  {
    keys: [
      [shift, '←'],
      [shift, '→'],
    ],
    meaning: texts.keysMeaning.move,
  },
  { keys: [['?']], meaning: texts.keysMeaning.help },
] as const;

export function HelpDialog({ open, onClose }: Readonly<{ open: boolean; onClose: () => void }>): ReactNode {
  const [off, setOff] = useState(areKeysOff);
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title={texts.keys} description={texts.keysText}>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-3">
        {LINES.map(({ keys, meaning }) => (
          <Fragment key={meaning}>
            <dt className="flex flex-wrap items-center gap-1.5 text-sm">
              {keys.map((chord, index) => (
                <Fragment key={chord.join('+')}>
                  {index > 0 && <span className="text-muted">{or}</span>}
                  {chord.map((key) => (
                    <kbd
                      key={key}
                      className={clsx(
                        'min-w-7 rounded-sm border border-line-strong bg-sunken px-1.5 py-0.5 text-center',
                        'font-sans font-medium',
                      )}
                    >
                      {key}
                    </kbd>
                  ))}
                </Fragment>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </Fragment>
        ))}
      </dl>
      <label className="mt-6 flex cursor-pointer items-center gap-3">
        <input
          type="checkbox"
          checked={off}
          onChange={(event) => {
            switchKeys(event.target.checked);
            setOff(event.target.checked);
          }}
          className="size-5"
        />
        {texts.keysOff}
      </label>
    </Dialog>
  );
}
