import { z } from 'zod';
import { AREA_IDS, TOPICS } from './areas.ts';
import { VOICE_TEXT_MAX } from './limits.ts';

/** What the voice agent talks about: the topics of §2.5, and the description of a picture or video (§2.9). */
export const INTERVIEW_SUBJECTS = [...TOPICS, 'media-description'] as const;
const InterviewSubjectSchema = z.enum(INTERVIEW_SUBJECTS);
export type InterviewSubject = z.infer<typeof InterviewSubjectSchema>;

/** The five W-questions (§3) as the tool `set_w_answer` names them. */
export const W_QUESTIONS = ['who', 'what', 'when', 'where', 'why'] as const;
const WQuestionSchema = z.enum(W_QUESTIONS);
export type WQuestion = z.infer<typeof WQuestionSchema>;

/** Parameters of the client tool `set_w_answer`. */
export const SetWAnswerSchema = z.object({ question: WQuestionSchema, answer: z.string().min(1).max(4_000) });
export type SetWAnswer = z.infer<typeof SetWAnswerSchema>;

export const SET_W_ANSWER_TOOL = 'set_w_answer';
export const END_CALL_TOOL = 'end_call';

/** Body of `POST /v1/convai/ticket`. */
export const VoiceTicketRequestSchema = z.object({
  /** Absent while there is none, or where the id is a local one. */
  interviewId: z.int().positive().optional(),
  area: z.enum(AREA_IDS),
  topic: InterviewSubjectSchema,
  /** Typing, or the browser's own voice and recognition. */
  textOnly: z.boolean().optional(),
  /** 'Interview fortsetzen': the earlier turns (of the interview; for a local id, `context`) are the start. */
  resume: z.boolean().optional(),
  /** What the interviewer should know before the first word, e.g. the file to describe. */
  context: z.string().max(VOICE_TEXT_MAX).optional(),
  /**
   * With `resume`: the end of the transcript the device kept. It counts where the row has no answer yet, as after a
   * reload before the conversation was bound to its row.
   */
  transcript: z.string().max(VOICE_TEXT_MAX).optional(),
});
export type VoiceTicketRequest = z.infer<typeof VoiceTicketRequestSchema>;

/**
 * hosted: the hosted service speaks and listens. embedded: this server listens, and speaks where `capabilities.speech`.
 * browser: this server only asks, by the same code as embedded but silent (/health: `text`); the conversation must be
 * text-only, voice and recognition are the browser's own.
 */
export const VoiceEngineSchema = z.enum(['hosted', 'embedded', 'browser']);
export type VoiceEngine = z.infer<typeof VoiceEngineSchema>;

export const VoiceTicketSchema = z.object({
  /** WebSocket address with the ticket, for one connection within `expiresInS`. */
  signedUrl: z.url({ protocol: /^wss?$/ }),
  expiresInS: z.number(),
  engine: VoiceEngineSchema,
  /** Whether the conversation has to be started with `textOnly: true`. */
  textOnly: z.boolean(),
  /** What the server does in this conversation; `speech`: it speaks (text-to-speech). */
  capabilities: z.object({ transcription: z.boolean(), speech: z.boolean() }),
  /** The row's transcript, with what was understood only after the line had broken. */
  transcript: z.string().optional(),
});
export type VoiceTicket = z.infer<typeof VoiceTicketSchema>;

/** Body of `POST /v1/convai/conversations/:conversationId/interview`: the row came after the connection (§4). */
export const BindInterviewSchema = z.object({ interviewId: z.int().positive() });

export const VoiceErrorBodySchema = z.object({ error: z.object({ code: z.string() }) });

/** How the gateway closes a conversation. Anything but 1000 is §4's error state. */
export const VOICE_CLOSE = {
  /** The interview is over. */
  done: 1000,
  /** The server stops. */
  goingAway: 1001,
  /** Something else than the initiation came first, or a second initiation. */
  protocol: 1002,
  /** A binary frame, or audio in another format than the announced one. */
  unsupported: 1003,
  /** No JSON, or a known message with wrong fields. */
  malformed: 1007,
  /** Ticket, sessions, rate, silence or length: see the reason. */
  policy: 1008,
  /** A frame above 64 KiB. */
  tooBig: 1009,
  /** The engine failed. */
  engine: 1011,
  /** A spending cap is reached, or the hosted service is busy. */
  later: 1013,
} as const;
/** Reasons of a close for which a page has words of their own. */
export const VOICE_REASONS = {
  rights: 'the rights to this conversation ended',
  sessions: 'too many conversations at once',
  minutes: 'the minutes of the day are used up',
} as const;
export type VoiceCloseCode = (typeof VOICE_CLOSE)[keyof typeof VOICE_CLOSE];

/** The WebSocket of the voice agent's official clients. */
export const CONVERSATION_PATH = '/v1/convai/conversation';
export const VOICE_TICKET_S = 60;
export const VOICE_FRAME_BYTES = 64 * 1024;
