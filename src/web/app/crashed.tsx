import { RotateCw } from '#web/ui/icons.tsx';
import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { ErrorScreen } from '#web/ui/state-screens.tsx';
import { appTexts } from './texts.ts';

/** A screen that threw, or whose code could not be loaded (no network, or a newer version was installed meanwhile). */
export function Crashed(): ReactNode {
  const texts = appTexts.crashed;
  return (
    <ErrorScreen
      title={texts.title}
      action={
        <Button icon={<RotateCw aria-hidden className="size-5" />} onClick={() => window.location.reload()}>
          {texts.reload}
        </Button>
      }
    >
      {texts.text}
    </ErrorScreen>
  );
}
