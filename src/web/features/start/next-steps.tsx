import type { ReactNode } from 'react';
import { startTexts } from './texts.ts';

/** The way of a contribution, in three numbered steps on one line. */
export function NextSteps(): ReactNode {
  return (
    <section className="mt-12 sm:mt-16">
      <h2 className="text-xl font-semibold">{startTexts.next}</h2>
      <ol className="mt-6 grid gap-6 sm:grid-cols-3 sm:gap-8">
        {startTexts.steps.map((step, index) => (
          <li key={step.title} className="flex gap-4 border-t border-line pt-5 sm:flex-col sm:gap-3">
            <span aria-hidden className="tabular text-lg font-semibold text-accent-ink">
              {index + 1}
            </span>
            <div>
              <h3 className="font-medium">{step.title}</h3>
              <p className="mt-1 text-muted">{step.text}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
