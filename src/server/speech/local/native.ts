import { createRequire } from 'node:module';
import type { ModelKind } from '../models/catalogue.ts';

/** The part of the native addon that is used (whisper.cpp; `@fugood/node-whisper-…`, one package a platform). */
export type NativeModel = Readonly<{
  transcribeData: (
    samples: ArrayBuffer,
    options: Readonly<{ language: string; prompt: string; maxThreads: number }>,
  ) => Readonly<{ promise: Promise<NativeResult> }>;
}>;

/** Times in ms. */
type NativeResult = Readonly<{ segments: readonly Readonly<{ text: string; t0: number; t1: number }>[] }>;

type ModelOptions = Readonly<{ filePath: string; useGpu: boolean }>;
type Addon = Readonly<{
  WhisperContext: new (options: ModelOptions) => NativeModel;
  ParakeetContext: new (options: ModelOptions) => NativeModel;
}>;

const require = createRequire(import.meta.url);
const PACKAGE = `@fugood/node-whisper-${process.platform}-${process.arch}`;

/** Whether this platform has a build. */
export function isEngineAvailable(): boolean {
  try {
    require.resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/** Blocks until the model is in memory. Throws where the file is no such model; damaged ones may end the process. */
export function loadNativeModel(kind: ModelKind, filePath: string): NativeModel {
  const { WhisperContext, ParakeetContext } = require(PACKAGE) as Addon;
  const Context = kind === 'whisper' ? WhisperContext : ParakeetContext;
  return new Context({ filePath, useGpu: false });
}
