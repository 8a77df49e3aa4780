import { randomBytes } from 'node:crypto';
import { MIME_OF, type AudioType } from './audio-type.ts';

const LINE = '\r\n';

export type OutgoingForm = Readonly<{
  before: Readonly<Record<string, string>>;
  audio: AsyncIterable<Uint8Array>;
  type: AudioType;
  after: () => Promise<Readonly<Record<string, string>>>;
}>;

/** multipart/form-data (RFC 7578) written as its parts arrive, so that nothing is held but the piece on its way. */
export function multipartBody(form: OutgoingForm): Readonly<{ contentType: string; body: AsyncIterable<Uint8Array> }> {
  const boundary = `speech-${randomBytes(18).toString('hex')}`;
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: parts(form, boundary) };
}

async function* parts(form: OutgoingForm, boundary: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(fields(form.before, boundary));
  // The name is ours: services go by the extension, and what the caller called the file is nobody's business.
  const disposition = `Content-Disposition: form-data; name="file"; filename="recording.${form.type}"`;
  yield Buffer.from([`--${boundary}`, disposition, `Content-Type: ${MIME_OF[form.type]}`, '', ''].join(LINE));
  yield* form.audio;
  yield Buffer.from(`${LINE}${fields(await form.after(), boundary)}--${boundary}--${LINE}`);
}

function fields(values: Readonly<Record<string, string>>, boundary: string): string {
  const part = ([name, value]: [string, string]): string =>
    [`--${boundary}`, `Content-Disposition: form-data; name="${name}"`, '', value, ''].join(LINE);
  return Object.entries(values).map(part).join('');
}
