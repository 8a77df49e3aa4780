import type { ReactNode } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { Link } from '#web/ui/link.tsx';
import { texts } from './texts.ts';

/** What a yes covers and how it is taken back (Art. 7 GDPR), in plain words. */
export function Consent({ association }: Readonly<{ association: string }>): ReactNode {
  const { privacyUrl } = useSessionStore().config.brand;
  return (
    <section className="border-t border-line pt-6">
      <h2 className="text-lg font-semibold">{texts.consent.title}</h2>
      <ul className="mt-3 flex max-w-measure list-disc flex-col gap-2 pl-5 text-muted marker:text-line-strong">
        {texts.consent.points(association).map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <p className="mt-3">
        <Link href={privacyUrl} className="touch inline-flex items-center">
          {texts.consent.privacy}
        </Link>
      </p>
    </section>
  );
}
