import { useCallback, useSyncExternalStore } from 'react';

/** Whether the microphone gives silence: a phone call or a switch of the device mutes it without ending it. */
export function useMuted(track: MediaStreamTrack | undefined): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      track?.addEventListener('mute', changed);
      track?.addEventListener('unmute', changed);
      return () => {
        track?.removeEventListener('mute', changed);
        track?.removeEventListener('unmute', changed);
      };
    },
    [track],
  );
  return useSyncExternalStore(subscribe, () => track?.muted === true);
}
