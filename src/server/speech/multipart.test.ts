import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readForm } from './multipart.ts';

test('Gives up at once where the caller left before the form was read', async () => {
  const body = new PassThrough().destroy();
  await once(body, 'close');
  const form = readForm(body, { 'content-type': 'multipart/form-data; boundary=x' }, 1_000);
  await expect(form).rejects.toMatchObject({ code: 'upload_aborted' });
});
