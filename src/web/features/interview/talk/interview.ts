import { CONNECT_PROGRESS_STEP_MS, VOICE_CONNECT_TIMEOUT_MS } from '#contract/limits.ts';
import type { VoiceTicket, VoiceTicketRequest } from '#contract/voice.ts';
import { listInputs, type AudioInput, type InputDevices } from '#web/speech/inputs.ts';
import type { KeptInterview } from '../kept-interview.ts';
import type { Call, CallEnd, CallEvents, Way } from '../voice/call.ts';
import { emptyDialogue, reduceDialogue, type Dialogue, type DialogueEvent } from './dialogue.ts';
import { faultOfDrop, faultOfStart, isLeft, LEFT } from './fault.ts';
import { IDLE, isActive, reduceTalk, type TalkEvent, type TalkState } from './state.ts';

/** What an interview needs of the world; a test brings its own. */
export type InterviewDeps = Readonly<{
  preload: () => Promise<unknown>;
  /** Within the click itself: browsers give sound and microphone only then. */
  unlock: () => void;
  ticket: (
    request: Pick<VoiceTicketRequest, 'resume' | 'textOnly' | 'transcript'>,
    signal: AbortSignal,
  ) => Promise<VoiceTicket>;
  call: (ticket: VoiceTicket, way: Way, inputId: string | undefined, signal: AbortSignal) => Promise<Call>;
  /** §4: the row, where there is none yet. Never rejects. */
  onConnected: (conversationId: string) => void;
  keepAwake: () => () => void;
  devices: InputDevices | undefined;
  now: () => number;
}>;

export type InterviewSnapshot = Readonly<{
  talk: TalkState;
  dialogue: Dialogue;
  /** The interviewer has the floor. */
  agentSpeaks: boolean;
  /** A microphone is open (deaf while `muted`); else the person types. */
  listens: boolean;
  speaks: boolean;
  muted: boolean;
  volume: number;
  inputs: readonly AudioInput[];
  inputId: string | undefined;
  /** Of all conversations of this interview that are over, ms. */
  before: number;
  /** When the running one was connected (`deps.now`). */
  since: number | undefined;
}>;

/** One that was not ended waits to be gone on with. */
function firstSnapshot(kept: KeptInterview | undefined): InterviewSnapshot {
  return {
    talk: kept === undefined ? IDLE : { status: 'error', fault: 'interrupted', way: kept.way },
    dialogue: emptyDialogue(kept?.transcript),
    agentSpeaks: false,
    listens: false,
    speaks: false,
    muted: false,
    volume: 1,
    inputs: [],
    inputId: undefined,
    before: 0,
    since: undefined,
  };
}

/**
 * One interview around the pure states of `state.ts` and `dialogue.ts`: tickets, calls, timers, the screen's wake lock.
 */
export class Interview {
  readonly #deps: InterviewDeps;
  readonly #subscribers = new Set<() => void>();
  #snapshot: InterviewSnapshot;
  #call: Call | undefined;
  #starting: AbortController | undefined;
  #sleep = (): void => undefined;

  constructor(deps: InterviewDeps, kept?: KeptInterview) {
    this.#deps = deps;
    this.#snapshot = firstSnapshot(kept);
  }

  readonly subscribe = (call: () => void): (() => void) => {
    this.#subscribers.add(call);
    return () => void this.#subscribers.delete(call);
  };

  readonly snapshot = (): InterviewSnapshot => this.#snapshot;

  /** 0 to 1, right now. */
  readonly levels = (): Readonly<{ input: number; output: number }> => {
    const { input, output } = this.#call?.levels() ?? { input: 0, output: 0 };
    return { input: this.#snapshot.muted ? 0 : input, output };
  };

  async preload(): Promise<void> {
    this.#step({ type: 'preload-started' });
    await this.#deps.preload().catch((error: unknown) => {
      console.warn('voice agent: not preloaded', error instanceof Error ? error.name : '');
    });
    this.#step({ type: 'preload-over' });
  }

  /** A new interview, or with `goesOn` the one that broke off: what was said before is the new start. */
  async start(way: Way, { goesOn = false } = {}): Promise<void> {
    const before = this.#snapshot.talk;
    this.#step({ type: 'start', way });
    if (this.#snapshot.talk === before) return;
    if (way === 'voice') this.#deps.unlock();
    const starting = new AbortController();
    this.#starting = starting;
    const { signal } = starting;
    const ticking = setInterval(() => this.#step({ type: 'tick' }), CONNECT_PROGRESS_STEP_MS);
    const timeout = setTimeout(
      () => starting.abort(new DOMException('no connection within 15 s', 'TimeoutError')),
      VOICE_CONNECT_TIMEOUT_MS,
    );
    try {
      const { call, ticket } = await untilAborted(this.#connect(way, goesOn, signal), signal);
      this.#begin(call, { type: 'connected', goesOn, known: ticket.transcript });
    } catch (error) {
      this.#fail(error, starting);
    } finally {
      clearInterval(ticking);
      clearTimeout(timeout);
    }
  }

  /** §4: by the person. While connecting it calls the start off. */
  end(): void {
    const call = this.#call;
    if (call === undefined) return this.#starting?.abort(new DOMException(LEFT, 'AbortError'));
    call.end();
    // The client reports the end only when it has cleaned up; for the person it is over now.
    if (this.#call === call) this.#finish({ type: 'ended', by: 'user' });
  }

  /** The page goes away, and may come back: nothing stays open, and the interview can be gone on with. */
  suspend(): void {
    const call = this.#call;
    if (call === undefined) return this.end();
    call.end();
    if (this.#call === call) this.#finish({ type: 'dropped', fault: 'interrupted' });
  }

  say(text: string): void {
    this.#call?.say(text);
  }

  rate(eventId: number, liked: boolean): void {
    this.#call?.rate(liked, eventId);
    this.#hear({ type: 'rated', eventId, liked });
  }

  mute(muted: boolean): void {
    this.#call?.mute(muted);
    this.#update({ muted });
  }

  setVolume(volume: number): void {
    this.#call?.setVolume(volume);
    this.#update({ volume });
  }

  /** Also in the middle of a conversation; a microphone that cannot be had leaves the old one. */
  async chooseInput(inputId: string | undefined): Promise<void> {
    const before = this.#snapshot.inputId;
    this.#update({ inputId });
    await this.#call?.useInput(inputId).catch(() => this.#update({ inputId: before }));
  }

  /** §2.5: only while no interview is active. */
  edit(transcript: string): void {
    if (!isActive(this.#snapshot.talk)) this.#hear({ type: 'edited', transcript });
  }

  readonly refreshInputs = async (): Promise<void> => {
    this.#update({ inputs: await listInputs(this.#deps.devices) });
  };

  async #connect(way: Way, goesOn: boolean, signal: AbortSignal): Promise<{ call: Call; ticket: VoiceTicket }> {
    const transcript = this.#snapshot.dialogue.transcript.slice(-CONTEXT_CHARACTERS);
    const ticket = await this.#deps.ticket(
      { textOnly: way === 'typing', ...(goesOn ? { resume: true, transcript } : {}) },
      signal,
    );
    signal.throwIfAborted();
    const call = await this.#deps.call(ticket, way, this.#snapshot.inputId, signal);
    if (signal.aborted) call.end();
    return { call, ticket };
  }

  #begin(call: Call, connected: DialogueEvent & { type: 'connected' }): void {
    this.#call = call;
    this.#starting = undefined;
    const { before, volume } = this.#snapshot;
    this.#hear(connected);
    this.#update({
      listens: call.listens,
      speaks: call.speaks,
      muted: false,
      agentSpeaks: false,
      before: connected.goesOn ? before : 0,
      since: this.#deps.now(),
    });
    this.#sleep = this.#deps.keepAwake();
    this.#step({ type: 'connected' });
    this.#deps.onConnected(call.conversationId);
    call.setVolume(volume);
    call.listen(this.#events(call));
    void this.refreshInputs();
  }

  #events(call: Call): CallEvents {
    const mine = (work: () => void): void => {
      if (this.#call === call) work();
    };
    return {
      onTurn: (turn) => mine(() => this.#hear({ type: 'said', turn })),
      onCorrection: (original, corrected) => mine(() => this.#hear({ type: 'corrected', original, corrected })),
      onTentative: (text) => mine(() => this.#hear({ type: 'tentative', text })),
      onSpeaking: (agentSpeaks) => mine(() => this.#update({ agentSpeaks })),
      onListening: (listens) => mine(() => this.#update({ listens })),
      onEnd: (end) => mine(() => this.#finish(afterEnd(end))),
    };
  }

  #finish(event: TalkEvent): void {
    const { since, before } = this.#snapshot;
    this.#call = undefined;
    this.#sleep();
    this.#hear({ type: 'over' });
    this.#update({
      agentSpeaks: false,
      listens: false,
      since: undefined,
      before: before + (since === undefined ? 0 : this.#deps.now() - since),
    });
    this.#step(event);
  }

  #fail(error: unknown, starting: AbortController): void {
    if (this.#starting === starting) this.#starting = undefined;
    if (starting.signal.aborted && isLeft(error)) return this.#step({ type: 'cancelled' });
    const fault = faultOfStart(error);
    console.warn('voice agent: no connection', fault, error instanceof Error ? error.name : '');
    // A chosen microphone that is gone must not stand in the way of the next try.
    if (fault === 'microphone-missing') this.#update({ inputId: undefined });
    this.#step({ type: 'failed', fault });
  }

  #step(event: TalkEvent): void {
    this.#update({ talk: reduceTalk(this.#snapshot.talk, event) });
  }

  #hear(event: DialogueEvent): void {
    this.#update({ dialogue: reduceDialogue(this.#snapshot.dialogue, event) });
  }

  #update(change: Partial<InterviewSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const call of this.#subscribers) call();
  }
}

function afterEnd(end: CallEnd): TalkEvent {
  return end.by === 'lost' ? { type: 'dropped', fault: faultOfDrop(end.closeCode) } : { type: 'ended', by: end.by };
}

/** As much as a ticket takes. */
const CONTEXT_CHARACTERS = 20_000;

/** Whatever hangs inside, the person is told in time; the work itself cleans up when it notices. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}
