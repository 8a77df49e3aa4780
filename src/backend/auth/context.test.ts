import { expect, test } from 'vitest';
import { createBackground } from './context.ts';

test('A stop waits for work that other work has begun: a code is stored, then its mail is sent', async () => {
  const background = createBackground(() => undefined);
  const [stored, sent] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let hasFinished = false;
  const sendMail = async (): Promise<void> => {
    await sent.promise;
  };
  const storeCode = async (): Promise<void> => {
    await stored.promise;
    background.run(sendMail());
  };
  background.run(storeCode());
  const finished = background.finish().then(() => (hasFinished = true));
  stored.resolve(undefined);
  await new Promise(setImmediate);
  expect(hasFinished).toBe(false);
  sent.resolve(undefined);
  await finished;
});

test('Work that fails is reported and holds up no stop', async () => {
  const errors: unknown[] = [];
  const background = createBackground((error) => void errors.push(error));
  background.run(Promise.reject(new Error('no mail')));
  await background.finish();
  expect(errors).toEqual([new Error('no mail')]);
});
