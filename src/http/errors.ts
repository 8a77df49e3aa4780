import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CodedError } from '#lib/error-code.ts';
import { isAccessRefusal } from './refusals.ts';

/** An error that a client is answered with. Each protocol has a subclass with a catalogue of codes. */
export class HttpError<Code extends string = string> extends CodedError<Code> {
  readonly status: number;
  constructor(status: number, code: Code, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.status = status;
  }
}

/** Each code's HTTP status, and its message for logs and developers. */
export type Catalogue<Code extends string> = Readonly<Record<Code, readonly [status: number, message: string]>>;

/** The class of a catalogue's errors, to be extended by the protocol's own class. */
export function errorsOf<Code extends string>(catalogue: Catalogue<Code>) {
  return class extends HttpError<Code> {
    constructor(code: Code, options?: ErrorOptions) {
      const [status, message] = catalogue[code];
      super(status, code, message, options);
    }
  };
}

export type ErrorAnswer = Readonly<{
  body: unknown;
  /** Default: the error's own. */
  status?: number;
  headers?: Readonly<Record<string, string | number>>;
}>;

/** Each protocol has its own form of error answers, which its official clients read. */
export type ErrorProtocol<Known extends HttpError> = Readonly<{
  /** Maps anything that was thrown to an error of the protocol. */
  convert: (thrown: unknown, request: FastifyRequest) => Known;
  answer: (error: Known, request: FastifyRequest) => ErrorAnswer;
  /** Logs codes and ids only; `logRefusals` logs refused access. `status` is the answer's. */
  log: (error: Known, context: Readonly<{ request: FastifyRequest; status: number; thrown: unknown }>) => void;
}>;

/** Answers every error of these routes in the protocol's form. */
export function answerErrors<Known extends HttpError>(app: FastifyInstance, protocol: ErrorProtocol<Known>): void {
  app.setErrorHandler((thrown, request, reply) => sendError(protocol, thrown, request, reply));
}

export function sendError<Known extends HttpError>(
  protocol: ErrorProtocol<Known>,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = protocol.convert(thrown, request);
  const { body, status = error.status, headers = {} } = protocol.answer(error, request);
  if (!isAccessRefusal(status)) protocol.log(error, { request, status, thrown });
  return reply.code(status).headers(headers).send(body);
}

/** Converts and logs an error that is answered in another way, such as in a stream that has begun. */
export function logError<Known extends HttpError>(
  protocol: ErrorProtocol<Known>,
  thrown: unknown,
  request: FastifyRequest,
): Known {
  const error = protocol.convert(thrown, request);
  if (!isAccessRefusal(error.status)) protocol.log(error, { request, status: error.status, thrown });
  return error;
}

/** Whether Fastify refused the request itself: a malformed, too large or unsupported body, a broken address. */
export function isRequestError(error: unknown): error is Error & { statusCode: number } {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
}
