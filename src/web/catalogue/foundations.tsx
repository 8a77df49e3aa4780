import type { ReactNode } from 'react';
import { Breakable } from '#web/ui/breakable.tsx';
import { Mark } from '#web/ui/mark.tsx';
import { Part, Row, Specimen } from './specimen.tsx';
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

export function Foundations(): ReactNode {
  return (
    <>
      <Part
        id="colours"
        title="Colours"
        lead="Named by role. -ink is for text, -wash for the ground under it, on- for text on the plain colour."
      >
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
      <Part
        id="type"
        title="Type"
        lead="Inter, six sizes. Headings are semibold and balanced, text has a measure of 68 characters."
      >
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
