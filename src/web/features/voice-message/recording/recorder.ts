import { listInputs, onInputsChange } from '#web/speech/inputs.ts';
import { type LevelMeter, SILENT_METER } from '#web/speech/level.ts';
import { SnapshotStore } from '#web/speech/snapshot-store.ts';
import { createStoredChunks, type LaterFree, type StoredChunks } from './chunk-store.ts';
import {
  leaveSession,
  type MicrophoneSession,
  openMicrophone,
  RecorderError,
  releaseStream,
  startSession,
  STOP_TIMEOUT_MS,
} from './microphone.ts';
import { getEquipment, type RecorderDeps, startStopwatch, type Stopwatch } from './recorder-deps.ts';
import {
  EMPTY,
  type RecorderErrorCode,
  type RecorderEvent,
  type RecorderNotice,
  type RecorderPlace,
  type RecorderSnapshot,
  type RecorderState,
  type Recording,
  reduceRecorder,
} from './state.ts';

const TICK_MS = 50;

/** Microphone, browser recorder, timer, level and storage around the pure states of `state.ts`. Serves one screen. */
export class Recorder extends SnapshotStore<RecorderSnapshot> {
  readonly #deps: RecorderDeps;
  readonly #place: RecorderPlace;
  #onNotice: ((notice: RecorderNotice) => void) | undefined;
  /** Counts starts and resets, so that what comes too late from an earlier one is recognised. */
  #run = 0;
  #session: MicrophoneSession | undefined;
  #stored: StoredChunks;
  #previous: Readonly<{ recording: Recording; stored: StoredChunks; safe: boolean }> | undefined;
  #chunks: Blob[] = [];
  #watch: Stopwatch | undefined;
  #meter: LevelMeter = SILENT_METER;
  #stoppingSince: number | undefined;
  #cleanUp: (() => void)[] = [];

  constructor(deps: RecorderDeps, place: RecorderPlace) {
    super(EMPTY);
    this.#deps = deps;
    this.#place = place;
    this.#stored = this.#trackStored();
  }

  /** The level now, 0 to 1; 0 while no microphone is open. */
  readonly readLevel = (): number => this.#meter.read();

  listen(onNotice: ((notice: RecorderNotice) => void) | undefined): void {
    this.#onNotice = onNotice;
  }

  /** Opens the screen. The returned function leaves it: releases the microphone and keeps the stored chunks. */
  open(): () => void {
    const left = new AbortController();
    const stopWatching = onInputsChange(this.#deps.media, () => void this.#readInputs());
    void this.#readInputs();
    void this.refresh({ signal: left.signal, onFree: () => void this.refresh() });
    return () => {
      left.abort();
      stopWatching();
      this.#close();
    };
  }

  /** Asks for the microphone and records. Never rejects: an error is a state. */
  async start(inputId?: string): Promise<void> {
    if (this.#status() === 'requesting') return this.#notify({ type: 'initialising' });
    this.#dispatch({ type: 'start' });
    if (this.#status() !== 'requesting') return;
    const run = ++this.#run;
    try {
      const { media, MediaRecorderClass, format } = getEquipment(this.#deps);
      const stream = await openMicrophone(media, inputId);
      if (run !== this.#run) return releaseStream(stream);
      this.#begin(startSession(stream, MediaRecorderClass, format, this.#handlers(run)));
    } catch (error) {
      if (run === this.#run) this.#fail(error instanceof RecorderError ? error.code : 'start');
    }
  }

  /** `#dispatch` stops the browser's recorder, because full time and a lost device end a recording too. */
  stop(): void {
    this.#dispatch({ type: 'stop' });
  }

  readonly pause = (): void => this.#turn('pause');

  readonly resume = (): void => this.#turn('resume');

  #turn(how: 'pause' | 'resume'): void {
    if (this.#status() !== 'recording') return;
    this.#session?.[how]();
    this.#watch?.[how]();
    this.#dispatch({ type: how });
  }

  /** Until the returned function is called, the recording is not offered again when the screen is left: it is sent. */
  readonly hold = (): (() => void) => this.#stored.hold();

  /** Makes way for a new recording, which replaces this one only once it is finished. */
  putAside(): void {
    const { state, safe } = this.snapshot();
    if (state.status !== 'recorded') return;
    this.#run += 1;
    this.#previous = { recording: state.recording, stored: this.#stored, safe };
    this.#stored = this.#trackStored();
    this.update({ bytes: 0, safe: true, previous: state.recording });
    this.#dispatch({ type: 'reset' });
  }

  /** Gives up the new recording for the one put aside, which is taken out first because `discardAll` deletes it too. */
  keepPrevious(): void {
    if (this.#previous === undefined) return;
    const { recording, stored, safe } = this.#previous;
    this.#previous = undefined;
    this.discardAll();
    this.#stored = stored;
    this.update({ bytes: recording.bytes, safe });
    this.#dispatch({ type: 'restored', recording });
  }

  /** Discards the recording and the one put aside, on this device too. */
  discardAll(): void {
    this.#run += 1;
    this.#release();
    this.#stored.discard();
    this.#discardPrevious();
    this.update({ bytes: 0, safe: true });
    this.#dispatch({ type: 'reset' });
  }

  #close(): void {
    this.#run += 1;
    if (this.#session) leaveSession(this.#session, this.#stored, this.#watch?.seconds() ?? 0, this.#deps.clock.every);
    this.#stored.leave();
    this.#previous?.stored.leave();
    this.#previous = undefined;
    this.#release();
    this.update({ bytes: 0, safe: true, previous: undefined });
    this.#dispatch({ type: 'reset' });
  }

  async refresh(later?: LaterFree): Promise<void> {
    const { owner, area } = this.#place;
    this.update({ recovered: await this.#deps.store.unfinished(owner, area, later).catch(() => []) });
  }

  /** Takes up a recording of `recovered`. */
  async restore(id: string): Promise<void> {
    if (this.#status() !== 'idle' && this.#status() !== 'error') return;
    const run = ++this.#run;
    this.update({ restoring: true });
    const taken = await this.#deps.store.take(id).catch(() => undefined);
    this.update({ restoring: false });
    if (taken === undefined) this.#notify({ type: 'error', code: 'processing', kept: false });
    else if (run !== this.#run) taken.session.leave();
    else {
      this.#stored.adopt(taken.session);
      this.update({ bytes: taken.recording.bytes });
      this.#dispatch({ type: 'restored', recording: taken.recording });
    }
    await this.refresh();
  }

  async discard(id: string): Promise<void> {
    await this.#deps.store.discard(id).catch(() => undefined);
    await this.refresh();
  }

  async #readInputs(): Promise<void> {
    this.update({ inputs: await listInputs(this.#deps.media) });
  }

  #status(): RecorderState['status'] {
    return this.snapshot().state.status;
  }

  #begin(session: MicrophoneSession): void {
    this.#session = session;
    this.#chunks = [];
    this.#watch = startStopwatch(this.#deps.clock.now);
    this.#meter = this.#deps.openMeter(session.stream);
    this.#stored.begin({ ...session.format, ...this.#place });
    this.#cleanUp = [this.#meter.close, this.#deps.keepAwake(), this.#deps.clock.every(TICK_MS, () => this.#tick())];
    this.update({ bytes: 0, safe: true, track: session.stream.getTracks()[0] });
    this.#dispatch({ type: 'granted' });
    this.#notify({ type: 'started' });
    // Names are readable from the first permission on.
    void this.#readInputs();
  }

  #handlers(run: number): Parameters<typeof startSession>[3] {
    const current = (call: () => void): void => {
      if (run === this.#run) call();
    };
    return {
      onChunk: (chunk) => current(() => this.#keep(chunk)),
      onStopped: () => current(() => this.#finish()),
      onError: (code) => current(() => this.#dispatch({ type: 'interrupted', code })),
    };
  }

  #keep(chunk: Blob): void {
    this.#chunks.push(chunk);
    this.update({ bytes: this.snapshot().bytes + chunk.size });
    this.#stored.append(chunk, this.#watch?.seconds() ?? 0);
    // Timers of a page in the background are slowed down; chunks come all the same.
    this.#tick();
  }

  #tick(): void {
    const { state } = this.snapshot();
    if (state.status === 'recording') this.#dispatch({ type: 'tick', seconds: this.#watch?.seconds() ?? 0 });
    const since = this.#stoppingSince;
    if (since !== undefined && this.#deps.clock.now() - since >= STOP_TIMEOUT_MS) this.#finish();
  }

  #trackStored(): StoredChunks {
    const stored = createStoredChunks(this.#deps.store, () => {
      if (stored === this.#stored) this.update({ safe: false });
    });
    return stored;
  }

  #discardPrevious(): void {
    this.#previous?.stored.discard();
    this.#previous = undefined;
    this.update({ previous: undefined });
  }

  #endSession(): void {
    this.#watch?.pause();
    this.#stoppingSince = this.#deps.clock.now();
    try {
      this.#session?.stop();
    } catch {
      this.#finish('stop');
    }
  }

  /** Ends the recording: all chunks have come, or the recorder does not answer. */
  #finish(code?: RecorderErrorCode): void {
    const { session, seconds } = { session: this.#session, seconds: this.#watch?.seconds() ?? 0 };
    const { state } = this.snapshot();
    if (session === undefined) return;
    const blob = new Blob(this.#chunks, { type: session.format.mime });
    this.#run += 1;
    this.#release();
    const interruption = state.status === 'stopping' ? state.code : undefined;
    if (blob.size === 0) return this.#fail(code ?? interruption ?? 'processing');
    this.#discardPrevious();
    this.#dispatch({ type: 'finished', recording: { blob, ...session.format, seconds, bytes: blob.size } });
    if (interruption !== undefined) return this.#notify({ type: 'error', code: interruption, kept: true });
    // Without a stop of ours the browser ended it.
    this.#notify({ type: 'stopped', automatic: state.status === 'stopping' && state.automatic });
  }

  #fail(code: RecorderErrorCode): void {
    this.#release();
    this.#stored.discard();
    this.#dispatch({ type: 'failed', code });
    this.#notify({ type: 'error', code, kept: false });
  }

  #release(): void {
    for (const cleanUp of this.#cleanUp) cleanUp();
    this.#cleanUp = [];
    this.#session?.release();
    this.#session = undefined;
    this.#meter = SILENT_METER;
    this.#stoppingSince = undefined;
    this.#chunks = [];
    this.update({ track: undefined });
  }

  #dispatch(event: RecorderEvent): void {
    const before = this.snapshot().state;
    const state = reduceRecorder(before, event);
    if (state === before) return;
    this.update({ state });
    if (state.status === 'stopping' && before.status === 'recording') this.#endSession();
  }

  #notify(notice: RecorderNotice): void {
    this.#onNotice?.(notice);
  }
}
