import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { showsPeople, type ImageRights } from '#contract/media-uploads.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import type { BackendErrorKind } from '#web/backend/errors.ts';
import { useClearMessage } from '#web/ui/toast.tsx';
import { isSameFile, kindOfType, withType } from './file-kind.ts';
import { useFlow } from './flow.ts';
import { numericId } from './local-id.ts';
import type { PartDraft } from './outbox/entry.ts';
import { ownerHere } from './outbox/outbox.ts';
import type { HeldFile } from './outbox/use-keep-on-device.ts';
import { makePageMemory } from './use-running-work.ts';

/** `path` is given with the first upload and kept, so that a second try overwrites instead of doubling. */
export type ChosenFile = Readonly<{
  key: string;
  file: File;
  state: 'waiting' | 'uploading' | 'done' | 'failed';
  path?: string;
  /** 0–100 while uploading. */
  percent?: number;
  failure?: BackendErrorKind | undefined;
  /** Of a picture or film, where the contributor is asked. */
  imageRights?: ImageRights | undefined;
  /** Object address of a picture or video; dies with the screen. */
  preview?: string;
}>;

export type ChosenFiles = ReturnType<typeof useChosenFiles>;

/** Files that were chosen and not handed in, by person, area and place, so that back and forward lose none. */
const unsentFiles = makePageMemory<HeldFile>();

/** Of this contribution, and what was chosen before it had an id; without one, all. */
export function forgetUnsentFiles(id = ''): void {
  for (const key of unsentFiles.keys())
    if (id === '' || key.endsWith(':') || key.endsWith(`:${id}`)) unsentFiles.delete(key);
}

/** The contribution of each file: a screen that was left before it knew the id continues it all the same. */
const begunWith = new WeakMap<File, string>();

export function noteBegun(file: File, contentId: string): void {
  begunWith.set(file, contentId);
}

export function findBegun({ path, file }: HeldFile): string | undefined {
  return path?.split('/')[0] ?? begunWith.get(file);
}

/** The files chosen at one place of a flow. They live in memory only: in that of the page, until they are handed in. */
export function useChosenFiles(place: string, initial: readonly HeldFile[] = []) {
  const key = useMemoryKey(place);
  const asked = useBackendConfig().imageRights === true;
  const [files, setFiles] = useState<readonly ChosenFile[]>(() =>
    (unsentFiles.get(key) ?? initial).map(({ file, path, imageRights }) => ({
      ...toChosen(file, asked),
      ...(path === undefined ? {} : { path }),
      ...(asked && imageRights !== undefined ? { imageRights } : {}),
    })),
  );
  usePreviews(files);
  const forget = useUnsentFiles(key, files);
  const clearMessage = useClearMessage();
  return useMemo(
    () => ({
      files,
      add: (more: readonly File[]): void => {
        clearMessage();
        const made = more.map((file) => toChosen(file, asked));
        setFiles((now) => [...listStaying(now, more), ...made]);
      },
      /** In place of what was chosen before. */
      replace: (others: readonly File[]): void => {
        clearMessage();
        setFiles(others.map((file) => toChosen(file, asked)));
      },
      remove: (key: string): void => {
        clearMessage();
        setFiles((now) => now.filter((file) => file.key !== key));
      },
      update: (key: string, change: Partial<ChosenFile>): void =>
        setFiles((now) => now.map((file) => (file.key === key ? { ...file, ...change } : file))),
      /** They are handed in or kept elsewhere: the screen begins without them next time. */
      forget,
    }),
    [files, asked, forget, clearMessage],
  );
}

/** What is gone on with leaves alone what was begun for another, to which it would be sent (decision 0275). */
function useMemoryKey(place: string): string {
  const config = useBackendConfig();
  const { area, state } = useFlow();
  const [key] = useState(() => {
    const shared = `${ownerHere(config)}:${area.id}:${place}`;
    const id = numericId(state.interviewId);
    const isOthers = (file: HeldFile): boolean => id !== (numericId(findBegun(file)) ?? id);
    return id !== undefined && unsentFiles.get(shared)?.some(isOthers) === true ? `${shared}:${id}` : shared;
  });
  return key;
}

/** Remembers what is not handed in yet, until the returned function is called. */
function useUnsentFiles(key: string, files: readonly ChosenFile[]): () => void {
  const forgotten = useRef(false);
  useEffect(() => {
    const unsent = files
      .filter(({ state }) => state !== 'done')
      .map(({ file, path, imageRights }) => ({ file, path, imageRights }));
    if (forgotten.current || unsent.length === 0) unsentFiles.delete(key);
    else unsentFiles.set(key, unsent);
  }, [files, key]);
  return useCallback(() => {
    forgotten.current = true;
    // After the screen was left, others may have been chosen in the same place.
    const isUnchanged = unsentFiles.get(key)?.every((kept) => files.some(({ file }) => file === kept.file));
    if (isUnchanged === true) unsentFiles.delete(key);
  }, [key, files]);
}

/** Frees the address of every preview that is no longer shown. */
function usePreviews(files: readonly ChosenFile[]): void {
  const shown = useRef<readonly string[]>([]);
  useEffect(() => {
    const now = files.flatMap(({ preview }) => preview ?? []);
    for (const preview of shown.current) if (!now.includes(preview)) URL.revokeObjectURL(preview);
    shown.current = now;
  }, [files]);
  useEffect(() => () => shown.current.forEach((preview) => URL.revokeObjectURL(preview)), []);
}

/** `asked`: whether contributors are asked who can be recognised. */
function toChosen(given: File, asked: boolean): ChosenFile {
  const file = withType(given);
  const shows = kindOfType(file.type) !== 'document';
  return {
    key: crypto.randomUUID(),
    file,
    state: 'waiting',
    ...(asked && showsPeople(file.type) ? { imageRights: 'unknown' } : {}),
    ...(shows ? { preview: URL.createObjectURL(file) } : {}),
  };
}

/**
 * A file that can no longer be read is replaced by one of the same name that is chosen again, as its row asks; of
 * several with that name ('image.jpg') by itself, else one by one.
 */
export function listStaying(files: readonly ChosenFile[], added: readonly File[]): readonly ChosenFile[] {
  return added.reduce((staying, one) => {
    const lost = staying.filter(({ file, failure }) => failure === 'unreadable' && file.name === one.name);
    const replaced = lost.find(({ file }) => isSameFile(file, one)) ?? lost[0];
    return staying.filter((file) => file !== replaced);
  }, files);
}

/** The chosen files that have not arrived, under the names they were tried with. */
export function listUnsentFiles(files: readonly ChosenFile[]): readonly PartDraft[] {
  return files
    .filter(({ state }) => state !== 'done')
    .map(({ file, path, imageRights }) => ({ kind: 'file', blob: file, name: file.name, path, imageRights }));
}

/** Names the files for the next screen, as the database does not know them yet. */
export function nameChosenFiles(files: readonly ChosenFile[]) {
  return files.map(({ file }) => ({ path: file.name, type: file.type }));
}
