import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { useId, useState, type ReactNode } from 'react';
import { useBackend, type BackendClient } from '#web/backend/client.ts';
import { readTranscript } from '#web/backend/interviews.ts';
import { listMedia, signMedia } from '#web/backend/media.ts';
import { getFileName } from '#web/submission/files.ts';
import { ChevronDown } from '#web/ui/icons.tsx';
import { Link } from '#web/ui/link.tsx';
import { texts } from './texts.ts';

/** Addresses are for the moment in which the list is open. */
const SIGNED_S = 3_600;

/** Files and transcript of one contribution, loaded when they are opened. */
export function Material({ contribution }: Readonly<{ contribution: number }>): ReactNode {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="mt-4 border-t border-line pt-1">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="touch -mb-3 flex w-full items-center justify-between gap-3 text-left font-medium"
      >
        {texts.material}
        <ChevronDown aria-hidden className={clsx('size-5 text-muted transition-transform', open && 'rotate-180')} />
      </button>
      <div id={id} hidden={!open} className="pt-5">
        {open && <Contents contribution={contribution} />}
      </div>
    </div>
  );
}

function Contents({ contribution }: Readonly<{ contribution: number }>): ReactNode {
  const backend = useBackend();
  const { data, isPending } = useQuery({
    queryKey: ['own-contributions', contribution],
    queryFn: () => loadMaterial(backend, contribution),
  });
  if (isPending) return <output className="text-muted">{texts.materialLoading}</output>;
  if (data === undefined) return <p role="alert">{texts.materialFailed}</p>;
  const { files, transcript } = data;
  return (
    <div className="flex flex-col gap-4">
      {files.length === 0 && transcript === '' && <p className="text-muted">{texts.nothing}</p>}
      {files.length > 0 && (
        <ul className="flex flex-col">
          {files.map(({ path, name, url }) => (
            <li key={path} className="flex min-h-11 items-center wrap-anywhere">
              {url === undefined ? (
                name
              ) : (
                <Link href={url} target="_blank" rel="noopener noreferrer" aria-label={texts.open(name)}>
                  {name}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
      {transcript !== '' && (
        <section
          aria-label={texts.transcript}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard
          tabIndex={0}
          className="max-h-64 overflow-y-auto rounded-control bg-sunken p-4 whitespace-pre-wrap wrap-anywhere"
        >
          {transcript}
        </section>
      )}
    </div>
  );
}

/** By the caller's own rights. */
async function loadMaterial(backend: BackendClient, id: number) {
  const [media, transcript] = await Promise.all([listMedia(backend, id), readTranscript(backend, id)]);
  const paths = media.map(({ path }) => path);
  const addresses = await signMedia(backend, paths, SIGNED_S).catch(() => new Map<string, string>());
  const files = media.map((file) => ({ path: file.path, name: getFileName(file), url: addresses.get(file.path) }));
  return { files, transcript: transcript?.trim() ?? '' };
}
