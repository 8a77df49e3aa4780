import type { ReactNode } from 'react';
import { Anchor } from '#web/ui/link.tsx';
import { useBrand } from './brand.ts';
import { appTexts } from './texts.ts';

const LINK = 'touch inline-flex items-center rounded-sm px-2 underline-offset-4 hover:text-ink hover:underline';

const THIS_YEAR = new Date().getFullYear();

/** The association, the year (§9) and the law (D8), on every screen. */
export function Footer(): ReactNode {
  const brand = useBrand();
  return (
    <footer className="border-t border-line">
      <div className="mx-auto flex max-w-page flex-wrap items-center justify-between gap-x-6 px-4 py-2 text-sm text-muted sm:px-6">
        <p className="tabular py-2">
          © {THIS_YEAR} {brand.association}
        </p>
        <nav aria-label={appTexts.legal} className="-mx-2 flex gap-2">
          <Anchor href={brand.imprintUrl} className={LINK}>
            {appTexts.imprint}
          </Anchor>
          <Anchor href={brand.privacyUrl} className={LINK}>
            {appTexts.privacy}
          </Anchor>
        </nav>
      </div>
    </footer>
  );
}
