import type { ReactNode } from 'react';
import { useSession } from '#web/backend/session.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { AccountColumn } from './account-column.tsx';
import { NewPasswordForm } from './new-password-form.tsx';
import { newPasswordTexts as texts } from './texts.ts';

/** D15: reached by the link of the mail, which brings a session of its own; also by whoever is logged in. */
export function NewPasswordScreen(): ReactNode {
  const session = useSession();
  if (session.status === 'initialising') return <LoadingScreen text={texts.checking} />;
  if (session.status === 'signed-out') {
    return (
      <ErrorScreen
        title={texts.expiredTitle}
        action={
          <ButtonLink href="/passwort-vergessen" variant="primary">
            {texts.again}
          </ButtonLink>
        }
      >
        {texts.expired}
      </ErrorScreen>
    );
  }
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
      <NewPasswordForm />
    </AccountColumn>
  );
}
