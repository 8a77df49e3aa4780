import type { Screen } from '../routes.ts';

/** Where nothing has been begun: a reload takes nothing away from anybody. */
const START_SCREENS: readonly (Screen | undefined)[] = ['start', 'content-selection', 'dashboard', 'admin'];

export function isStartScreen(screen: Screen | undefined): boolean {
  return START_SCREENS.includes(screen);
}

export type UpdateSituation = Readonly<{
  /** A newer version is installed and waits for the old one to go. */
  waiting: boolean;
  screen: Screen | undefined;
  /** A recording, an interview, an upload (D17). */
  working: boolean;
}>;

/**
 * A newer version comes by itself where nothing is lost by it; else it is offered, and while something runs not even
 * that.
 */
export function decideUpdate({ waiting, screen, working }: UpdateSituation): 'none' | 'apply' | 'offer' {
  if (!waiting || working) return 'none';
  return isStartScreen(screen) ? 'apply' : 'offer';
}
