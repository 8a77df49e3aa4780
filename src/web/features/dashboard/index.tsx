import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { Area, Dashboard } from '#contract/areas.ts';
import { UNFINISHED_HEIGHT } from '#web/backend/browser-storage.ts';
import { useAppConfig } from '#web/backend/config.ts';
import { useUser } from '#web/backend/session.ts';
import { canTranscribe } from '#web/speech/browser-recognition.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { ArrowRight } from '#web/ui/icons.tsx';
import { LateSection } from '#web/ui/late-section.tsx';
import { OptionCard } from '#web/ui/option-card.tsx';
import { FileText, Image, Images, LayoutGrid, MessagesSquare, Mic, Video } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { dashboardTexts as texts } from './texts.ts';

/** §2.12: the start page of a company's or the test area, as its entry in the table of areas says. */
export function DashboardScreen({ area, unfinished }: Readonly<{ area: Area; unfinished: ReactNode }>): ReactNode {
  const user = useUser();
  return (
    <div className="mx-auto w-full max-w-page px-4 py-8 sm:px-6 sm:py-14">
      <ScreenTitle tabTitle={texts.tab}>{texts.greeting(user?.username ?? '')}</ScreenTitle>
      <p className="mt-3 mb-8 max-w-measure text-lg text-muted sm:mb-10">{texts.lead}</p>
      <LateSection late={unfinished} storageKey={UNFINISHED_HEIGHT}>
        {area.dashboard !== undefined && (
          <Targets dashboard={area.dashboard} base={area.dashboard.linksTo === 'own' ? area.base : ''} />
        )}
      </LateSection>
      <p className="mt-10 border-t border-line pt-6">
        <ButtonLink href="/meine-beitraege" icon={ArrowRight}>
          {texts.own}
        </ButtonLink>
      </p>
    </div>
  );
}

function Targets({ dashboard, base }: Readonly<{ dashboard: Dashboard; base: string }>): ReactNode {
  const transcribes = canTranscribe(useAppConfig());
  return (
    <>
      <ul
        className={clsx(
          'grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4',
          dashboard.cards.length > 2 && 'lg:grid-cols-3',
        )}
      >
        {dashboard.cards.map((target) => {
          const { title, line, duration } = texts.targets[target];
          return (
            <li key={target} className="sm:max-lg:last:odd:col-span-2">
              <OptionCard
                href={`${base}/${target}`}
                icon={ICONS[target]}
                title={title}
                line={target === 'voice-message' && !transcribes ? texts.voiceUntranscribed : line}
                {...(duration === undefined ? {} : { duration })}
              />
            </li>
          );
        })}
      </ul>
      {dashboard.buttons.length > 0 && (
        <section className="mt-10 border-t border-line pt-6 sm:mt-12">
          <h2 className="mb-4 text-lg font-semibold">{texts.more}</h2>
          <div className="flex flex-col gap-3 sm:flex-row sm:flex-wrap">
            {dashboard.buttons.map((target) => (
              <ButtonLink key={target} href={`${base}/${target}`} icon={ICONS[target]}>
                {texts.targets[target].title}
              </ButtonLink>
            ))}
          </div>
        </section>
      )}
    </>
  );
}

const ICONS = {
  'content-selection': LayoutGrid,
  'interview-category': MessagesSquare,
  'voice-message': Mic,
  upload: Images,
  'video-upload': Video,
  'image-upload': Image,
  'document-upload': FileText,
} as const;
