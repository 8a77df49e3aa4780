import type { BackendClient } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import { completeInterview, saveContact, updateWAnswers } from '#web/backend/interviews.ts';
import { uploadFile } from '../uploads.ts';
import type { FileContent, Part } from './entry.ts';

export type SendOptions = Readonly<{
  now: Date;
  blob: (file: FileContent) => Promise<Blob>;
  /** 0–1 of the bytes of a file. */
  onProgress: (fraction: number) => void;
}>;

/** Sends one part to its row. Every way can be repeated without doubling anything. Throws BackendError. */
export async function sendPart(backend: BackendClient, row: number, part: Part, options: SendOptions): Promise<void> {
  const { content } = part;
  const { now, onProgress } = options;
  switch (content.kind) {
    case 'answers':
      return updateWAnswers(backend, row, content.answers);
    case 'contact':
      return saveContact(backend, row, content.contact, now);
    case 'transcript': {
      const blob = new Blob([content.text], { type: 'text/plain' });
      await uploadFile(backend, { blob, path: `${row}/${content.fileName}` }, { interviewId: row });
      return completeInterview(backend, row, content.text, now);
    }
    default: {
      const blob = await options.blob(content);
      if (blob.size !== content.bytes) throw new BackendError('missing', 'the file is not on this device any more');
      const { fileName, spoken } = content;
      await uploadFile(backend, { blob, path: `${row}/${fileName}`, spoken }, { interviewId: row, onProgress });
    }
  }
}
