import { CONNECT_PROGRESS_STEP_MS, VOICE_CONNECT_TIMEOUT_MS, VOICE_TEXT_MAX } from '#contract/limits.ts';
import type { VoiceTicket, VoiceTicketRequest } from '#contract/voice.ts';
import { type InputDevices, listInputs } from '#web/speech/inputs.ts';
import { SnapshotStore } from '#web/speech/snapshot-store.ts';
import { watchLateWords } from '#web/submission/late-words.ts';
import type { KeptInterview } from '../kept-interview.ts';
import { type Call, type CallEnd, type CallEvents, type InputMode, raceAbort } from '../voice/call.ts';
import { type AnswersEvent, getLastTurn, hasAnswers, reduceAnswers } from './answers.ts';
import { type DialogueEvent, reduceDialogue } from './dialogue.ts';
import { CANCELLED, classifyDrop, classifyStartError, type InterviewErrorCode, isCancelled } from './errors.ts';
import {
  type ConversationEvent,
  createSnapshot,
  type InterviewSnapshot,
  isActive,
  reduceConversation,
} from './state.ts';

/** The dependencies of an interview; tests bring their own. */
export type InterviewDeps = Readonly<{
  preload: () => Promise<unknown>;
  /** Must run in the click itself: browsers allow sound and microphone only then. */
  unlock: () => void;
  ticket: (
    request: Pick<VoiceTicketRequest, 'resume' | 'textOnly' | 'transcript'>,
    signal: AbortSignal,
  ) => Promise<VoiceTicket>;
  call: (ticket: VoiceTicket, way: InputMode, inputId: string | undefined, signal: AbortSignal) => Promise<Call>;
  /** Creates the row where there is none yet (§4). Never rejects. */
  onConnected: (conversationId: string) => void;
  /** The row's transcript; undefined without a row. */
  readTranscript: () => Promise<string | undefined>;
  keepAwake: () => () => void;
  devices: InputDevices | undefined;
  now: () => number;
}>;

/** Runs one interview on the pure states of `state.ts` and `dialogue.ts`: tickets, calls, timers and the wake lock. */
export class Interview extends SnapshotStore<InterviewSnapshot> {
  readonly #deps: InterviewDeps;
  #call: Call | undefined;
  #starting: AbortController | undefined;
  #releaseWakeLock = (): void => undefined;
  #stopWatching = (): void => undefined;

  constructor(deps: InterviewDeps, kept?: KeptInterview) {
    super(createSnapshot(kept));
    this.#deps = deps;
  }

  /** 0 to 1, right now. */
  readonly levels = (): Readonly<{ input: number; output: number }> => {
    const { input, output } = this.#call?.levels() ?? { input: 0, output: 0 };
    return { input: this.snapshot().muted ? 0 : input, output };
  };

  async preload(): Promise<void> {
    this.#dispatch({ type: 'preload-started' });
    await this.#deps.preload().catch((error: unknown) => {
      console.warn('voice agent: not preloaded', error instanceof Error ? error.name : '');
    });
    this.#dispatch({ type: 'preload-over' });
  }

  /** A new interview, or with `resume` continues the transcript of the one that broke off. */
  async start(way: InputMode, { resume = false } = {}): Promise<void> {
    const before = this.snapshot().conversation;
    this.#dispatch({ type: 'start', way });
    if (this.snapshot().conversation === before) return;
    this.#stopWatching();
    this.#updateDialogue({ type: 'draft-taken' });
    if (way === 'voice') this.#deps.unlock();
    const starting = new AbortController();
    this.#starting = starting;
    const { signal } = starting;
    const ticking = setInterval(() => this.#dispatch({ type: 'tick' }), CONNECT_PROGRESS_STEP_MS);
    const timeout = setTimeout(
      () => starting.abort(new DOMException('no connection within 15 s', 'TimeoutError')),
      VOICE_CONNECT_TIMEOUT_MS,
    );
    try {
      const { call, ticket } = await raceAbort(this.#connect(way, resume, signal), signal);
      this.#begin(call, { type: 'connected', resume, known: ticket.transcript });
    } catch (error) {
      this.#fail(error, starting);
    } finally {
      clearInterval(ticking);
      clearTimeout(timeout);
    }
  }

  /** Ends the interview, or cancels a start (§4). */
  end(): void {
    const call = this.#call;
    this.#stopWatching();
    if (call === undefined) return this.#starting?.abort(new DOMException(CANCELLED, 'AbortError'));
    this.say(this.snapshot().answers.text);
    call.end();
    // The client reports the end only after its cleanup; the screen must not wait for it.
    if (this.#call === call) this.#finish({ type: 'ended', by: 'user' });
  }

  /** Closes everything while the page is hidden; the interview can be resumed afterwards. */
  suspend(): void {
    if (this.#call === undefined) this.end();
    else this.#breakOff(this.#call, 'interrupted');
  }

  /** What stands in the field. */
  write(text: string): void {
    this.#call?.noteTyping();
    this.#updateAnswers({ type: 'typed', text });
  }

  /** Sends a typed answer. It is kept until the server shows it, or until it is in the transcript. */
  say(text: string): void {
    if (this.#call === undefined || text.trim() === '') return;
    this.#call.say(text.trim());
    this.#updateAnswers({ type: 'sent', text: text.trim() });
  }

  rate(eventId: number, liked: boolean): void {
    this.#call?.rate(liked, eventId);
    this.#updateDialogue({ type: 'rated', eventId, liked });
  }

  mute(muted: boolean): void {
    this.#call?.mute(muted);
    this.update({ muted });
  }

  setVolume(volume: number): void {
    this.#call?.setVolume(volume);
    this.update({ volume });
  }

  /** Works during a conversation, too; keeps the old microphone if the new one does not open. */
  async chooseInput(inputId: string | undefined): Promise<void> {
    const before = this.snapshot().inputId;
    this.update({ inputId });
    await this.#call?.useInput(inputId).catch(() => this.update({ inputId: before }));
  }

  /** §2.5: only while no interview is active. */
  edit(transcript: string): void {
    if (!isActive(this.snapshot().conversation)) this.#updateDialogue({ type: 'edited', transcript });
  }

  /** The correction as it is being written; undefined closes the editor. */
  draft(text: string | undefined): void {
    if (!isActive(this.snapshot().conversation)) this.#updateDialogue({ type: 'drafted', text });
  }

  readonly refreshInputs = async (): Promise<void> => {
    this.update({ inputs: await listInputs(this.#deps.devices) });
  };

  async #connect(way: InputMode, resume: boolean, signal: AbortSignal): Promise<{ call: Call; ticket: VoiceTicket }> {
    const transcript = this.snapshot().dialogue.transcript.slice(-VOICE_TEXT_MAX);
    const ticket = await this.#deps.ticket(
      { textOnly: way === 'typing', ...(resume ? { resume: true, transcript } : {}) },
      signal,
    );
    signal.throwIfAborted();
    const call = await this.#deps.call(ticket, way, this.snapshot().inputId, signal);
    if (signal.aborted) call.end();
    return { call, ticket };
  }

  #begin(call: Call, connected: DialogueEvent & { type: 'connected' }): void {
    this.#call = call;
    this.#starting = undefined;
    const { before, volume, dialogue } = this.snapshot();
    const { resume, known = '' } = connected;
    if (resume) this.#updateAnswers({ type: 'resumed', shown: dialogue.transcript, known });
    this.#updateDialogue(connected);
    this.update({
      microphoneOpen: call.microphoneOpen,
      speaks: call.speaks,
      muted: false,
      silenced: false,
      agentSpeaks: false,
      before: resume ? before : 0,
      since: this.#deps.now(),
    });
    this.#releaseWakeLock = this.#deps.keepAwake();
    this.#dispatch({ type: 'connected' });
    this.#deps.onConnected(call.conversationId);
    call.setVolume(volume);
    call.subscribe(this.#events(call));
    void this.refreshInputs();
  }

  #events(call: Call): CallEvents {
    const ifCurrent = (work: () => void): void => {
      if (this.#call === call) work();
    };
    return {
      onTurn: (turn) =>
        ifCurrent(() => {
          this.#updateAnswers({ type: 'said', turn });
          this.#updateDialogue({ type: 'said', turn });
        }),
      onCorrection: (original, corrected) =>
        ifCurrent(() => this.#updateDialogue({ type: 'corrected', original, corrected })),
      onTentative: (text) => ifCurrent(() => this.#updateDialogue({ type: 'tentative', text })),
      onSpeaking: (agentSpeaks) => ifCurrent(() => this.update({ agentSpeaks })),
      onListening: (microphoneOpen) => ifCurrent(() => this.update({ microphoneOpen })),
      onMicrophoneLost: () => ifCurrent(() => void this.#replaceMicrophone(call)),
      onMicrophoneMuted: (silenced) => ifCurrent(() => this.update({ silenced })),
      onEnd: (end) => ifCurrent(() => this.#finish(toEndEvent(end))),
    };
  }

  /** Uses the default microphone instead. Without one the call ends: the interviewer would hear only silence. */
  async #replaceMicrophone(call: Call): Promise<void> {
    this.update({ inputId: undefined });
    await call.useInput(undefined).catch((error: unknown) => this.#breakOff(call, classifyStartError(error)));
  }

  #breakOff(call: Call, code: InterviewErrorCode): void {
    if (this.#call !== call) return;
    call.end();
    if (this.#call === call) this.#finish({ type: 'dropped', code });
  }

  #finish(event: ConversationEvent): void {
    const { since, before } = this.snapshot();
    this.#call = undefined;
    this.#releaseWakeLock();
    if (event.type === 'ended') this.#takeAnswers();
    else this.#updateAnswers({ type: 'broken' });
    this.#updateDialogue({ type: 'finished' });
    this.update({
      agentSpeaks: false,
      microphoneOpen: false,
      since: undefined,
      before: before + (since === undefined ? 0 : this.#deps.now() - since),
    });
    this.#dispatch(event);
    this.#stopWatching = watchLateWords(this.#deps.readTranscript, (known) => {
      const { dialogue: without } = this.snapshot();
      this.#updateDialogue({ type: 'completed', known });
      return this.snapshot().dialogue !== without;
    });
  }

  /** At the end what was typed belongs to the transcript, whether the server has it or not (decision 0365). */
  #takeAnswers(): void {
    const { answers, dialogue } = this.snapshot();
    if (hasAnswers(answers)) this.#updateDialogue({ type: 'said', turn: getLastTurn(dialogue.transcript, answers) });
    this.#updateAnswers({ type: 'taken' });
  }

  #fail(error: unknown, starting: AbortController): void {
    if (this.#starting === starting) this.#starting = undefined;
    if (starting.signal.aborted && isCancelled(error)) return this.#dispatch({ type: 'cancelled' });
    const code = classifyStartError(error);
    console.warn('voice agent: no connection', code, error instanceof Error ? error.name : '');
    // A chosen microphone that is missing must not block the next try.
    if (code === 'microphone-missing') this.update({ inputId: undefined });
    this.#dispatch({ type: 'failed', code });
  }

  #dispatch(event: ConversationEvent): void {
    this.update({ conversation: reduceConversation(this.snapshot().conversation, event) });
  }

  #updateDialogue(event: DialogueEvent): void {
    this.update({ dialogue: reduceDialogue(this.snapshot().dialogue, event) });
  }

  #updateAnswers(event: AnswersEvent): void {
    this.update({ answers: reduceAnswers(this.snapshot().answers, event) });
  }
}

function toEndEvent(end: CallEnd): ConversationEvent {
  if (end.by !== 'lost') return { type: 'ended', by: end.by };
  return { type: 'dropped', code: classifyDrop(end.closeCode, end.closeReason) };
}
