import type { ReactNode } from 'react';
import { loginTexts } from './texts.ts';

const WIDTH = 560;
const STEP = 8;
const BARS = Array.from({ length: WIDTH / STEP }, (_, index) => {
  const along = index / (WIDTH / STEP);
  const swell = Math.sin(along * Math.PI) ** 1.4;
  const voice = 0.55 + 0.3 * Math.sin(index * 0.9) + 0.15 * Math.sin(index * 2.3 + 1);
  return 4 + 108 * swell * voice;
});

/** Explains the product in three steps, on large screens. */
export function Story(): ReactNode {
  const { title, steps, details } = loginTexts.story;
  return (
    <aside className="hidden border-l border-line bg-sunken lg:flex lg:flex-col lg:justify-center lg:px-12 xl:px-20">
      <div className="max-w-xl">
        <svg viewBox={`0 0 ${WIDTH} 120`} aria-hidden className="mb-12 w-full text-accent">
          {BARS.map((height, index) => (
            <rect
              key={index}
              x={index * STEP + 2}
              y={60 - height / 2}
              width="3"
              height={height}
              rx="1.5"
              className={index < BARS.length * 0.62 ? 'fill-current' : 'fill-line-strong'}
            />
          ))}
        </svg>
        <p className="text-2xl font-semibold tracking-tight text-balance xl:text-3xl">{title}</p>
        <ol className="mt-10 flex flex-col">
          {steps.map((step, index) => (
            <li key={step} className="flex gap-6 border-t border-line py-4">
              <span aria-hidden className="tabular w-4 font-semibold text-accent-ink">
                {index + 1}
              </span>
              <span>
                <span className="font-medium">{step}</span>
                <span className="mt-0.5 block text-muted">{details[index]}</span>
              </span>
            </li>
          ))}
        </ol>
      </div>
    </aside>
  );
}
