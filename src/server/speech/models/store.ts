import { constants } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { renameDurably } from '#lib/durable-file.ts';
import { isDiskFull } from '#lib/error-code.ts';
import type { Env } from '../../env.ts';
import { CATALOGUE, DEFAULT_MODEL, ModelError, type CatalogueModel, type ModelKind } from './catalogue.ts';
import { download, type DownloadTiming, type InstallProgress } from './download.ts';
import {
  checkFreeRoom,
  getSize,
  hashFile,
  lockDuring,
  readInstalled,
  removeRecord,
  writeRecord,
  type FreeRoom,
  type InstalledModel,
} from './files.ts';

/** A row of `list`: a model of the catalogue, or an installed one that the catalogue no longer has. */
export type ListedModel = Readonly<{
  name: string;
  kind: ModelKind;
  bytes: number;
  /** undefined: no longer in the catalogue. */
  catalogue: CatalogueModel | undefined;
  installed: InstalledModel | undefined;
  /** Bytes of an interrupted download that the next `install` continues. */
  partialBytes: number;
  isInUse: boolean;
}>;

export type InstallOptions = Readonly<{
  /** Stops with ModelError `aborted`; what has arrived stays for the next call. */
  signal?: AbortSignal;
  /** Called at most some 10 times a second, and at the end of each phase. */
  onProgress?: (progress: InstallProgress) => void;
  /** Takes this file instead of the network. */
  file?: string;
}>;

export type ModelStoreOptions = Readonly<{
  folder: string;
  /** A folder on the web that holds the files under their names, instead of the hub. */
  mirrorUrl?: string | undefined;
  /** What stays free on the disk. */
  freeRoom: FreeRoom;
  /** Only tests have others. */
  catalogue?: readonly CatalogueModel[];
  timing?: DownloadTiming;
}>;

const PART_END = '.part';

type Folder = Readonly<{ folder: string; catalogue: readonly CatalogueModel[] }>;

/** The models of this installation, in `DATA_DIR/models`. Cheap: open one wherever one is needed. */
export function openSpeechModels(env: Env): ModelStore {
  return openModelStore({
    folder: path.join(env.DATA_DIR, 'models'),
    mirrorUrl: env.SPEECH_MODELS_URL,
    freeRoom: { bytes: env.FREE_DISK_BYTES, percent: env.FREE_DISK_PERCENT },
  });
}

export type ModelStore = ReturnType<typeof openModelStore>;

/** Installs, lists and removes models in one folder. `npm run speech` and the administrators' routes use it. */
export function openModelStore(options: ModelStoreOptions) {
  const place: Folder = { folder: options.folder, catalogue: options.catalogue ?? CATALOGUE };
  return {
    /** In the order of the catalogue. */
    list: () => listModels(place),
    /** The model that transcribes; undefined where none is installed. Reads the folder: a command may change it. */
    findInUse: async () => selectInUse(await readInstalled(place.folder)),
    /**
     * Downloads, verifies and puts a model into use; continues an interrupted download. Without a name: the default of
     * the catalogue. An installed model is only put into use. Throws ModelError.
     */
    install: async (name = DEFAULT_MODEL, install: InstallOptions = {}): Promise<InstalledModel> => {
      const model = place.catalogue.find((known) => known.name === name);
      if (model === undefined) throw new ModelError('unknown_model');
      try {
        await mkdir(place.folder, { recursive: true, mode: 0o700 });
        const target = path.join(place.folder, model.file);
        return await lockDuring(target, () => installModel(options, place, model, install));
      } catch (error) {
        throw toModelError(error, install.signal);
      }
    },
    /** Removes the model and what an interrupted download left. A running job keeps its copy. Throws ModelError. */
    remove: (name: string) => removeModel(place, name),
  };
}

function toModelError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return new ModelError('aborted', { cause: error });
  return isDiskFull(error) ? new ModelError('disk_full', { cause: error }) : error;
}

async function installModel(
  options: ModelStoreOptions,
  place: Folder,
  model: CatalogueModel,
  { signal = new AbortController().signal, onProgress = () => undefined, file }: InstallOptions,
): Promise<InstalledModel> {
  const target = path.join(place.folder, model.file);
  const report = (doneBytes: number): void => onProgress({ phase: 'verifying', doneBytes, totalBytes: model.bytes });
  const isRight = async (content: string): Promise<boolean> =>
    (await hashFile(content, signal, report)) === model.sha256;
  // A process that ended between the rename and the record leaves a whole file without its record.
  const isWhole = async (): Promise<boolean> => (await getSize(target)) === model.bytes && isRight(target);
  const known = (await readInstalled(place.folder)).find((found) => found.name === model.name);
  const { mirrorUrl, freeRoom, timing } = options;
  const from = file ?? (mirrorUrl === undefined ? model.url : `${mirrorUrl}/${model.file}`);
  if (known === undefined && !(await isWhole())) {
    const part = target + PART_END;
    const resumes = file === undefined && (await getSize(part)) !== undefined;
    const fetchPart = async (): Promise<void> => {
      if (file !== undefined) await copyPart(file, part, model, freeRoom);
      else await download({ url: from, part, model, freeRoom, signal, onProgress, ...timing });
      if (await isRight(part)) return;
      // Continuing it never makes it right.
      await rm(part, { force: true });
      throw new ModelError('wrong_sum');
    };
    // What an earlier version left may belong to another file of the same name.
    await fetchPart().catch((error: unknown) => {
      if (!resumes || !(error instanceof ModelError) || error.code !== 'wrong_sum') throw error;
      return fetchPart();
    });
    await renameDurably(part, target);
  }
  const { name, kind, bytes, sha256 } = model;
  const installedAt = new Date().toISOString();
  return writeRecord(place.folder, { version: 1, name, kind, file: model.file, bytes, sha256, from, installedAt });
}

async function copyPart(file: string, part: string, model: CatalogueModel, freeRoom: FreeRoom): Promise<void> {
  const size = await getSize(file);
  if (size === undefined) throw new ModelError('file_unreadable');
  if (size !== model.bytes) throw new ModelError('wrong_sum');
  await rm(part, { force: true });
  await checkFreeRoom(path.dirname(part), size, freeRoom);
  try {
    await copyFile(file, part, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (isDiskFull(error)) throw error;
    throw new ModelError('file_unreadable', { cause: error });
  }
}

async function removeModel(place: Folder, name: string): Promise<void> {
  const installed = (await readInstalled(place.folder)).find((found) => found.name === name);
  const known = place.catalogue.find((model) => model.name === name);
  if (installed === undefined && known === undefined) throw new ModelError('unknown_model');
  const target = installed?.path ?? path.join(place.folder, known?.file ?? name);
  const left = await Promise.all([target, target + PART_END].map(getSize));
  if (installed === undefined && left.every((size) => size === undefined)) throw new ModelError('not_installed');
  await lockDuring(target, async () => {
    // The record goes first: a file without one is not in use.
    await removeRecord(target);
    await rm(target, { force: true });
    await rm(target + PART_END, { force: true });
  });
}

async function listModels({ folder, catalogue }: Folder): Promise<ListedModel[]> {
  const installed = await readInstalled(folder);
  const inUse = selectInUse(installed);
  const describe = (
    { name, kind, bytes }: CatalogueModel | InstalledModel,
    rest: Pick<ListedModel, 'catalogue' | 'installed' | 'partialBytes'>,
  ): ListedModel => ({
    name,
    kind,
    bytes,
    ...rest,
    isInUse: rest.installed !== undefined && rest.installed === inUse,
  });
  const rows = catalogue.map(async (model) => {
    const partialBytes = (await getSize(path.join(folder, model.file) + PART_END)) ?? 0;
    const own = installed.find((found) => found.name === model.name);
    return describe(model, { catalogue: model, installed: own, partialBytes });
  });
  const others = installed
    .filter(({ name }) => catalogue.every((model) => model.name !== name))
    .map((own) => describe(own, { catalogue: undefined, installed: own, partialBytes: 0 }));
  return [...(await Promise.all(rows)), ...others];
}

function selectInUse(installed: readonly InstalledModel[]): InstalledModel | undefined {
  return installed.toSorted((a, b) => b.installedAt.localeCompare(a.installedAt))[0];
}
