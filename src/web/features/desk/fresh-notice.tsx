import { ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatNumber } from '#web/ui/format.ts';
import { MOST_FRESH } from './use-news.ts';
import { deskTexts as texts } from './texts.ts';

/** What came in meanwhile is told, and shown when it is asked for: nothing jumps under anybody's hand. */
export function FreshNotice({ fresh, onShow }: Readonly<{ fresh: number; onShow: () => void }>): ReactNode {
  return (
    <output className="block">
      {fresh > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="animate-rise touch mb-3 flex w-full items-center justify-center gap-2 rounded-control bg-accent-wash px-4 font-medium text-accent-ink transition-colors hover:bg-accent hover:text-on-accent"
        >
          <ArrowUp aria-hidden className="size-4.5" />
          {texts.fresh(fresh < MOST_FRESH ? formatNumber(fresh) : `${formatNumber(fresh)}+`, fresh === 1)}
        </button>
      )}
    </output>
  );
}
