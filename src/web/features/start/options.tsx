import { FileText, Image, MessagesSquare, Mic, Video } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import { OptionCard } from '#web/ui/option-card.tsx';
import { startTexts } from './texts.ts';

const ICONS = {
  'interview-category': MessagesSquare,
  'voice-message': Mic,
  'video-upload': Video,
  'image-upload': Image,
  'document-upload': FileText,
} as const;

export type Option = keyof typeof ICONS;

/** §2.4, in this order. */
export const OPTIONS: readonly Option[] = [
  'interview-category',
  'voice-message',
  'video-upload',
  'image-upload',
  'document-upload',
];

/** The two spoken ways first and larger: they are what the product is for. */
export function Options({ base, options }: Readonly<{ base: string; options: readonly Option[] }>): ReactNode {
  return (
    <ul className="grid gap-3 sm:grid-cols-6 sm:gap-4">
      {options.map((option, index) => {
        const Icon = ICONS[option];
        return (
          <li key={option} className={index < 2 ? 'sm:col-span-3' : 'sm:col-span-3 lg:col-span-2'}>
            <OptionCard
              href={`${base}/${option}`}
              icon={<Icon aria-hidden className="size-6" />}
              {...startTexts.options[option]}
            />
          </li>
        );
      })}
    </ul>
  );
}
