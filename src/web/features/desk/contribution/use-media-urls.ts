import { useEffect, useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { signMedia } from '#web/backend/media.ts';

/** For a morning's work; whoever stays longer loads anew. */
const SECONDS = 6 * 60 * 60;

export type MediaUrls =
  | Readonly<{ status: 'loading' | 'failed' }>
  /** A file without an address is not in the store. */
  | Readonly<{ status: 'ready'; urls: ReadonlyMap<string, string> }>;

/** Addresses for players and pictures: the browser fetches what it needs of them, and no more. */
export function useMediaUrls(paths: readonly string[]): MediaUrls {
  const backend = useBackend();
  const [state, setState] = useState<MediaUrls>({ status: 'loading' });
  const wanted = paths.join('\n');
  useEffect(() => {
    let current = true;
    signMedia(backend, wanted === '' ? [] : wanted.split('\n'), SECONDS).then(
      (urls) => current && setState({ status: 'ready', urls }),
      () => current && setState({ status: 'failed' }),
    );
    return () => {
      current = false;
    };
  }, [backend, wanted]);
  return state;
}
