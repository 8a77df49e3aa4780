import type { ReactNode } from 'react';
import { Notice } from '#web/ui/notice.tsx';
import { deskTexts as texts } from './texts.ts';

/** The list looks for news by itself, and nobody answers. */
export function AwayNotice(): ReactNode {
  return (
    <div className="mb-3">
      <Notice tone="caution" title={texts.awayTitle} live>
        {texts.away}
      </Notice>
    </div>
  );
}
