import { Factory, Lightbulb, Route, Wrench } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { OptionCard } from '#web/ui/option-card.tsx';
import { interviewTexts as texts } from './texts.ts';

const ICONS = {
  'engineering-path': Route,
  'behind-scenes': Factory,
  'tech-dive': Wrench,
  'free-topic': Lightbulb,
} as const;

/** §2.5: the topics that the area offers. */
export function InterviewCategoryScreen(): ReactNode {
  const { area, go, href } = useFlow();
  const step = useStep('topic');
  return (
    <FlowScreen step={step} title={texts.category.title} lead={texts.category.lead} onBack={() => go({ to: 'home' })}>
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4">
        {area.offeredTopics.map((topic) => {
          const Icon = ICONS[topic];
          return (
            <li key={topic}>
              <OptionCard
                href={href({ to: 'interview', topic })}
                icon={Icon}
                {...texts.topics[topic]}
                duration={texts.category.duration}
              />
            </li>
          );
        })}
      </ul>
    </FlowScreen>
  );
}
