import { useRef, useState } from 'react';
import type { SignInResult } from '#web/backend/account.ts';
import { useSessionStore } from '#web/backend/session.ts';
import { useToast } from '#web/ui/toast.tsx';
import { loginTexts } from './texts.ts';

type Credentials = Readonly<{ email: string; password: string; captchaToken: string | undefined }>;

/** §2.2: a second submit while one is in progress is ignored. §8: which toast follows which answer. */
export function useLogin(): Readonly<{ busy: boolean; login: (credentials: Credentials) => Promise<void> }> {
  const store = useSessionStore();
  const toast = useToast();
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const login = async (credentials: Credentials): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      const [backend, account] = await Promise.all([store.backend(), import('#web/backend/account.ts')]);
      const result = await account.signIn(backend, credentials);
      const session = store.getState();
      // Whoever has a second factor is not in yet; the next screen says so when they are.
      if (result.ok && session.status === 'signed-in' && session.factor === 'due') return;
      toast({ ...toastOf(result), variant: result.ok ? 'good' : 'destructive' });
    } catch {
      toast({ ...loginTexts.toasts.exception, variant: 'destructive' });
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, login };
}

function toastOf(result: SignInResult): Readonly<{ title: string; description?: string }> {
  if (result.ok) return loginTexts.toasts.success;
  switch (result.reason) {
    case 'credentials':
      return loginTexts.toasts.credentials;
    case 'captcha':
      return loginTexts.toasts.captcha;
    case 'rejected':
      return loginTexts.toasts.rejected(result.message);
    case 'unexpected':
      return loginTexts.toasts.unexpected;
    default:
      return loginTexts.toasts.exception;
  }
}
