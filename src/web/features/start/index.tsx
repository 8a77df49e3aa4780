import type { ReactNode } from 'react';
import { type Area, ownArea } from '#contract/areas.ts';
import { UNFINISHED_HEIGHT } from '#web/backend/browser-storage.ts';
import { useAppConfig } from '#web/backend/config.ts';
import { useSession, useUser } from '#web/backend/session.ts';
import { canTranscribe } from '#web/speech/browser-recognition.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { ArrowRight } from '#web/ui/icons.tsx';
import { LateSection } from '#web/ui/late-section.tsx';
import { OptionCard } from '#web/ui/option-card.tsx';
import { FileText, Image, MessagesSquare, Mic, Video } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { startTexts } from './texts.ts';

/**
 * §2.4: the cards keep the generic paths, the guard forwards to the own area (D2, D6). A way that the own area does not
 * have would end at the login (D3: no dead ends), so it is not offered.
 */
export function StartScreen({ unfinished }: Readonly<{ unfinished: ReactNode }>): ReactNode {
  const session = useSession();
  const user = useUser();
  const role = session.status === 'signed-in' && session.role.status === 'known' ? session.role.role : null;
  const flows = ownArea(role)?.flows ?? [];
  return (
    <div className="mx-auto w-full max-w-page px-4 py-8 sm:px-6 sm:py-14">
      <ScreenTitle tabTitle={startTexts.tab}>{startTexts.greeting(user?.username ?? '')}</ScreenTitle>
      <p className="mt-3 mb-8 max-w-measure text-lg text-muted sm:mb-10">{startTexts.lead}</p>
      <LateSection late={unfinished} storageKey={UNFINISHED_HEIGHT}>
        <Options base="" options={OPTIONS.filter((option) => flows.includes(option))} />
      </LateSection>
      <NextSteps />
    </div>
  );
}

/** D5: the option cards of one area. */
export function ContentSelectionScreen({ area }: Readonly<{ area: Area }>): ReactNode {
  return (
    <div className="mx-auto w-full max-w-page px-4 py-8 sm:px-6 sm:py-14">
      <ScreenTitle>{startTexts.selectionTitle}</ScreenTitle>
      <p className="mt-3 mb-8 max-w-measure text-lg text-muted sm:mb-10">{startTexts.selectionLead}</p>
      <Options base={area.base} options={OPTIONS.filter((option) => area.flows.includes(option))} />
      <NextSteps />
    </div>
  );
}

/** The way of a contribution, in three numbered steps on one line. */
function NextSteps(): ReactNode {
  return (
    <section className="mt-12 sm:mt-16">
      <h2 className="text-xl font-semibold">{startTexts.next}</h2>
      <ol className="mt-6 grid grid-cols-1 gap-6 sm:grid-cols-3 sm:gap-8">
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
      <p className="mt-8">
        <ButtonLink href="/meine-beitraege" icon={ArrowRight}>
          {startTexts.own}
        </ButtonLink>
      </p>
    </section>
  );
}

const ICONS = {
  'interview-category': MessagesSquare,
  'voice-message': Mic,
  'video-upload': Video,
  'image-upload': Image,
  'document-upload': FileText,
} as const;

type Option = keyof typeof ICONS;

/** §2.4, in this order. */
const OPTIONS: readonly Option[] = [
  'interview-category',
  'voice-message',
  'video-upload',
  'image-upload',
  'document-upload',
];

/** The two spoken ways first and larger: they are what the product is for. */
function Options({ base, options }: Readonly<{ base: string; options: readonly Option[] }>): ReactNode {
  const transcribes = canTranscribe(useAppConfig());
  return (
    <ul className="grid grid-cols-1 gap-3 sm:grid-cols-6 sm:gap-4">
      {options.map((option, index) => {
        const Icon = ICONS[option];
        return (
          <li key={option} className={index < 2 ? 'sm:col-span-3' : 'sm:col-span-3 lg:col-span-2'}>
            <OptionCard
              href={`${base}/${option}`}
              icon={Icon}
              {...startTexts.options[option]}
              {...(option === 'voice-message' && !transcribes ? { line: startTexts.voiceUntranscribed } : {})}
            />
          </li>
        );
      })}
    </ul>
  );
}
