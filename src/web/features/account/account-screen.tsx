import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Arrival } from '#web/backend/arrival.ts';
import { useBackend } from '#web/backend/client.ts';
import { isManaged } from '#web/backend/own-account.ts';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { EmailSection } from './email-section.tsx';
import { FactorsSection } from './factors-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { accountTexts as texts } from './texts.ts';

/** /konto, for every signed-in account, with or without a role. */
export function AccountScreen({
  factorRequired,
  arrival,
}: Readonly<{ factorRequired: boolean; arrival: Arrival | undefined }>): ReactNode {
  const backend = useBackend();
  const { data: managed = false, isPending } = useQuery({
    queryKey: ['account', 'managed'],
    queryFn: () => isManaged(backend),
  });
  const editable = !isPending && !managed;
  return (
    <div className="mx-auto w-full max-w-column px-4 pt-6 pb-10 sm:px-6 sm:pt-12">
      <ScreenTitle>{texts.title}</ScreenTitle>
      <p className="mt-3 mb-8 text-lg text-muted">{texts.lead}</p>
      <div className="flex flex-col gap-6">
        {arrival !== undefined && <ArrivalNotice arrival={arrival} />}
        <FactorsSection required={factorRequired} />
        {editable && <PasswordSection />}
        <SessionsSection />
        {editable && <EmailSection />}
        {managed && <Notice title={texts.managed.title}>{texts.managed.text}</Notice>}
      </div>
    </div>
  );
}

/** Explains what a mail about a new address led to. */
function ArrivalNotice({ arrival }: Readonly<{ arrival: Arrival }>): ReactNode {
  const notice = arrival === 'other-mailbox' ? texts.email.half : texts.email.expired;
  return (
    <Notice tone={arrival === 'other-mailbox' ? 'info' : 'caution'} title={notice.title} live>
      {notice.text}
    </Notice>
  );
}
