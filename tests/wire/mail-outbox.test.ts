import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { bootServer } from '#tests/support/boot.ts';
import { startSmtpServer, type SmtpScript, type SmtpServer } from '#tests/support/smtp-server.ts';
import { openOutbox } from '#server/mail/outbox.ts';
import { createOutboxWorker, type OutboxWorker } from '#server/mail/delivery.ts';
import { smtpTransport } from '#server/mail/smtp.ts';
import { reservePort } from '../../scripts/reserved-port.ts';

/** D15: nothing written is lost, nothing is sent twice. */
let folder: string;
let open: (() => Promise<void>)[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-outbox-'));
  open = [];
});
afterEach(async () => {
  for (const close of open.toReversed()) await close();
  await rm(folder, { recursive: true, force: true });
});

const NOW = Date.parse('2026-11-20T12:00:00Z');
/** As earlier versions wrote it: no sidecar lies beside it. */
const message = (to: string): string =>
  ['From: Redaktion <post@haus.test>', `To: ${to}`, 'Subject: Hallo', 'Content-Type: text/plain', '', '.x', ''].join(
    '\r\n',
  );

async function put(name: string, to = `${name}@beispiel.test`, time = '2026-11-20T11-59-00-000Z'): Promise<void> {
  await writeFile(path.join(folder, `${time}_${name}.eml`), message(to));
}

const files = async (): Promise<string[]> =>
  (await readdir(folder)).toSorted().map((name) => name.slice('2026-11-20T11-59-00-000Z_'.length));

type Clock = Readonly<{ pauses: number[]; ring: () => void; asleep: () => Promise<void> }>;

/** Pauses end when the test says so. */
function workerFor(url: string): { worker: OutboxWorker; clock: Clock } {
  const pauses: number[] = [];
  let wake = (): void => undefined;
  let fellAsleep = (): void => undefined;
  const worker = createOutboxWorker({
    outbox: openOutbox(folder, 'Redaktion <post@haus.test>'),
    transport: smtpTransport(url),
    log: pino({ level: 'silent' }),
    now: () => NOW,
    later: (work, ms) => {
      pauses.push(ms);
      wake = work;
      fellAsleep();
      return () => undefined;
    },
  });
  open.push(worker.stop);
  const asleep = (): Promise<void> => new Promise((resolve) => (fellAsleep = resolve));
  return { worker, clock: { pauses, ring: () => wake(), asleep } };
}

async function server(
  script: SmtpScript = {},
  options: Parameters<typeof startSmtpServer>[1] = {},
): Promise<SmtpServer> {
  const started = await startSmtpServer(script, options);
  open.push(started.stop);
  return started;
}

const once = (reply: string) => {
  let said = false;
  return () => (said ? undefined : ((said = true), reply));
};

describe('the way of a mail', () => {
  test('the oldest first, each to its recipient, and then it is gone', async () => {
    await put('b', 'b@beispiel.test', '2026-11-20T11-59-00-000Z');
    await put('a', 'a@beispiel.test', '2026-11-20T11-58-00-000Z');
    const smtp = await server();
    const { worker } = workerFor(smtp.url);
    await worker.start();
    await smtp.arrived(2);
    await worker.stop();
    expect(smtp.received.map(({ sender, recipient }) => [sender, recipient])).toEqual([
      ['post@haus.test', 'a@beispiel.test'],
      ['post@haus.test', 'b@beispiel.test'],
    ]);
    expect(await files()).toEqual([]);
  });

  test('Sends to the recipient in the sidecar, and removes both files (decision 0032)', async () => {
    const outbox = openOutbox(folder, 'Redaktion <post@haus.test>');
    await outbox.put({
      id: 'b',
      at: new Date(NOW),
      to: 'b@beispiel.test',
      subject: 'Hallo',
      text: '.x',
      html: '<p>.x</p>',
    });
    await put('a', 'a@beispiel.test');
    const smtp = await server();
    const { worker } = workerFor(smtp.url);
    await worker.start();
    await smtp.arrived(2);
    await worker.stop();
    expect(smtp.received.map(({ sender, recipient }) => [sender, recipient])).toEqual([
      ['post@haus.test', 'a@beispiel.test'],
      ['post@haus.test', 'b@beispiel.test'],
    ]);
    expect(await files()).toEqual([]);
  });

  test('the login of SMTP_URL is used', async () => {
    await put('a');
    const smtp = await server({}, { auth: true });
    const { worker } = workerFor(smtp.url.replace('//', '//haus:geheim@'));
    await worker.start();
    await smtp.arrived(1);
    expect(smtp.logins).toEqual(['haus:geheim']);
  });
});

describe('a server that is away', () => {
  test('is tried again with growing pauses; the mail waits and goes out once', async () => {
    await put('a');
    const away = await reservePort();
    onTestFinished(away.release);
    const { worker, clock } = workerFor(`smtp://127.0.0.1:${away.port}`);
    for (const begin of [worker.start, async () => clock.ring(), async () => clock.ring()]) {
      const asleep = clock.asleep();
      await begin();
      await asleep;
    }
    expect(clock.pauses).toEqual([5_000, 10_000, 20_000]);
    expect(await files()).toEqual(['a.eml']);
    const back = await server({}, { port: away.port });
    clock.ring();
    await back.arrived(1);
    await worker.stop();
    expect(await files()).toEqual([]);
    expect(back.received).toHaveLength(1);
  });

  const passing: readonly (readonly [string, SmtpScript])[] = [
    ['hangs up at the greeting', { greeting: once('hang up') }],
    ['is busy', { greeting: once('421 busy') }],
    ['refuses the login', { auth: once('535 wrong') }],
    ['asks to come back later (greylisting)', { recipient: once('451 later') }],
    ['breaks off before the message', { data: once('hang up') }],
    ['takes the message and has no room for it', { received: once('452 full') }],
  ];
  for (const [name, script] of passing) {
    test(`a server that ${name}: the mail goes out the next time`, async () => {
      await put('a');
      const smtp = await server(script, { auth: 'auth' in script });
      const { worker, clock } = workerFor(smtp.url.replace('//', 'auth' in script ? '//a:b@' : '//'));
      const asleep = clock.asleep();
      await worker.start();
      await asleep;
      expect(await files()).toEqual(['a.eml']);
      const before = smtp.received.length;
      clock.ring();
      await smtp.arrived(before + 1);
      await worker.stop();
      expect(await files()).toEqual([]);
    });
  }

  test('one recipient that has to wait does not hold up the others', async () => {
    await put('a');
    await put('b');
    const smtp = await server({ recipient: once('450 later') });
    const { worker, clock } = workerFor(smtp.url);
    const asleep = clock.asleep();
    await worker.start();
    await asleep;
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual(['b@beispiel.test']);
    expect(await files()).toEqual(['a.eml']);
  });

  test('after a day nobody wants the mail any more', async () => {
    await put('a', 'a@beispiel.test', '2026-11-19T11-59-00-000Z');
    const smtp = await server();
    const { worker } = workerFor(smtp.url);
    await worker.start();
    await worker.idle();
    expect(await files()).toEqual(['a.expired']);
    expect(smtp.received).toEqual([]);
  });
});

describe('a server that refuses this installation, not the mail', () => {
  const stages: readonly (readonly [string, keyof SmtpScript, string])[] = [
    ['blocks this host', 'greeting', '554 5.7.1 blocked'],
    ['has no STARTTLS', 'tls', '502 5.5.1 not implemented'],
    ['misses the login', 'sender', '530 5.7.0 authentication required'],
    ['refuses the sender', 'sender', '550 5.7.1 no such sender'],
    ['takes no sender of that form', 'sender', '501 5.1.7 bad sender'],
    ['has no right for that sender', 'sender', '553 5.7.1 not owned by user'],
  ];
  for (const [name, step, reply] of stages) {
    test(`a server that ${name} (${reply.slice(0, 3)}): all mails go out once that is put right`, async () => {
      await put('a');
      await put('b');
      let answer: string | undefined = reply;
      const smtp = await server({ [step]: () => answer });
      const { worker } = workerFor(`${smtp.url}?requireTLS=${step === 'tls'}`);
      await worker.start();
      await worker.idle();
      await worker.stop();
      expect(await files()).toEqual(['a.eml', 'b.eml']);
      answer = undefined;
      const { worker: next } = workerFor(smtp.url);
      await next.start();
      await smtp.arrived(2);
      await next.stop();
      expect(await files()).toEqual([]);
    });
  }

  test.each([false, true])(
    'a mail with an earlier sender does not hold up the others (pipelining: %s)',
    async (pipelining) => {
      await put('a');
      await put('b');
      const smtp = await server({ sender: once('550 no such sender') }, { pipelining });
      const { worker } = workerFor(smtp.url);
      await worker.start();
      await worker.idle();
      expect(smtp.received.map(({ recipient }) => recipient)).toEqual(['b@beispiel.test']);
      expect(await files()).toEqual(['a.eml']);
    },
  );
});

describe('never twice', () => {
  test('a message whose receipt was not acknowledged is kept aside, also over a restart', async () => {
    await put('a');
    const smtp = await server({ received: once('hang up') });
    const first = workerFor(smtp.url);
    const asleep = first.clock.asleep();
    await first.worker.start();
    await asleep;
    await first.worker.stop();
    expect(await files()).toEqual(['a.unsure']);
    await put('b');
    const second = workerFor(smtp.url);
    await second.worker.start();
    await smtp.arrived(2);
    await second.worker.stop();
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual(['a@beispiel.test', 'b@beispiel.test']);
    expect(await files()).toEqual(['a.unsure']);
  });

  test('a mail that was under way when this server was killed is kept aside', async () => {
    await writeFile(path.join(folder, '2026-11-20T11-59-00-000Z_a.sending'), message('a@beispiel.test'));
    const smtp = await server();
    const { worker } = workerFor(smtp.url);
    await worker.start();
    await worker.idle();
    expect(await files()).toEqual(['a.unsure']);
    expect(smtp.received).toEqual([]);
  });

  test('A mail that is written before the worker has started is not taken for one of an earlier run', async () => {
    await put('a');
    const begun = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const outbox = openOutbox(folder, 'post@haus.test');
    const worker = createOutboxWorker({
      outbox: {
        ...outbox,
        // A mail that is already under way is begun when the start looks for those of an earlier run.
        list: async (state) => {
          if (state === 'sending') await Promise.race([begun.promise, worker.idle()]);
          return outbox.list(state);
        },
      },
      transport: async (_mail, { begin }) => {
        await begin();
        begun.resolve();
        await started.promise;
        return { result: 'later' };
      },
      log: pino({ level: 'silent' }),
      now: () => NOW,
      later: () => () => undefined,
    });
    worker.poke();
    await worker.start();
    started.resolve();
    await worker.stop();
    expect(await files()).toEqual(['a.eml']);
  });

  test('told of new mails again and again, each goes out once', async () => {
    for (const name of ['a', 'b', 'c']) await put(name);
    const smtp = await server();
    const { worker } = workerFor(smtp.url);
    await worker.start();
    for (let count = 0; count < 50; count += 1) worker.poke();
    await smtp.arrived(3);
    worker.poke();
    await worker.stop();
    expect(smtp.received).toHaveLength(3);
  });
});

describe('refused for good', () => {
  const refusals: readonly (readonly [keyof SmtpScript, string, boolean])[] = [
    ['recipient', '550 unknown', false],
    ['recipient', '550 unknown', true],
    ['data', '554 no', false],
    ['data', '554 no', true],
    ['received', '554 spam', false],
    ['received', '552 too large', false],
  ];
  for (const [step, reply, pipelining] of refusals) {
    const how = pipelining ? ', pipelined' : '';
    test(`${step}, ${reply}${how}: the mail is kept aside and the next one goes out`, async () => {
      await put('a');
      await put('b');
      const smtp = await server({ [step]: once(reply) }, { pipelining });
      const { worker } = workerFor(smtp.url);
      await worker.start();
      await smtp.arrived(step === 'received' ? 2 : 1);
      await worker.stop();
      expect(await files()).toEqual(['a.failed']);
    });
  }

  test('a file that is no message of ours is none to send', async () => {
    await writeFile(path.join(folder, '2026-11-20T11-59-00-000Z_a.eml'), 'Unsinn');
    const smtp = await server();
    const { worker } = workerFor(smtp.url);
    await worker.start();
    await worker.idle();
    expect(await files()).toEqual(['a.failed']);
  });
});

test('stopping does not wait for a server that says nothing', async () => {
  await put('a');
  let greeted = (): void => undefined;
  const connected = new Promise<void>((resolve) => (greeted = resolve));
  const smtp = await server({ greeting: () => (greeted(), '220-moment') });
  const { worker } = workerFor(smtp.url);
  await worker.start();
  await connected;
  await worker.stop();
  expect(await files()).toEqual(['a.eml']);
});

test('A running server removes the text beside a mail that was taken, not that of one on its way (0032)', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const running = await bootServer();
  open.push(running.stop);
  const outbox = path.join(running.dataDir, 'outbox');
  await mkdir(outbox, { recursive: true });
  for (const [name, minutes] of [['taken', 61] as const, ['coming', 59] as const]) {
    const file = path.join(outbox, `${name}.json`);
    await writeFile(file, '{}');
    await utimes(file, new Date(), new Date(Date.now() - minutes * 60_000));
  }
  vi.advanceTimersByTime(10 * 60_000);
  await expect.poll(() => readdir(outbox)).toEqual(['coming.json']);
});
