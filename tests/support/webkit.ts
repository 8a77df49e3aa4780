import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { reservePort } from '../../scripts/reserved-port.ts';

/**
 * The driver of this machine's WebKitGTK, where there is one that can show a window: WEBKIT_DRIVER, which may be a
 * script that makes a display of its own, or where Debian puts it.
 */
export function webkitDriverPath(): string | undefined {
  const own = process.env['WEBKIT_DRIVER'];
  if (own !== undefined && own !== '') return existsSync(own) ? own : undefined;
  const display = process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'];
  return display === undefined ? undefined : ['/usr/bin/WebKitWebDriver'].find((file) => existsSync(file));
}

/** A file as a form holds it: the browser may see another file system than the test. */
export type GivenFile = Readonly<{ name: string; mimeType: string; buffer: Buffer }>;

/** One page of a WebKit of its own, driven through W3C WebDriver, with a microphone that hums. */
export type WebkitPage = Readonly<{
  goto: (url: string) => Promise<void>;
  /** Runs in the page; what it returns must be plain. */
  run: <Args extends readonly unknown[], Result>(
    work: (...args: Args) => Result,
    ...args: Args
  ) => Promise<Awaited<Result>>;
  /** Presses the button or link of this name as a mouse does, once there is one that can be pressed. */
  press: (name: string) => Promise<void>;
  /** Types into the field with this label. */
  type: (label: string, text: string) => Promise<void>;
  /** Puts a file where the first picker of the screen would. */
  choose: (file: GivenFile) => Promise<void>;
  /** Resolves as soon as the page shows it. */
  shows: (text: string | RegExp) => Promise<void>;
  close: () => Promise<void>;
}>;

const START_MS = 60_000;
const WAIT_MS = 40_000;
const LOOK_AGAIN_MS = 100;
/** The key of an element's reference in WebDriver. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
/** The narrowest window of its small browser is somewhat wider than a phone. */
const SIZE = { width: 390, height: 844 } as const;

const CAPABILITIES = {
  alwaysMatch: {
    'webkitgtk:browserOptions': {
      args: ['--automation', '--enable-media-stream=true', '--enable-mock-capture-devices=true'],
    },
  },
};

type Ask = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;

export async function openWebkit(executable: string): Promise<WebkitPage> {
  const { port, release } = await reservePort();
  const args = [`--port=${port}`, '--host=127.0.0.1'];
  // A process group of its own: a script may have started a display beside the driver.
  const child = spawn(executable, args, { stdio: 'ignore', detached: true });
  try {
    const ask = makeAsk(`http://127.0.0.1:${port}`);
    await untilReady(ask, child);
    const { sessionId } = Session.parse(await ask('POST', '/session', { capabilities: CAPABILITIES }));
    const inSession: Ask = (method, path, body) => ask(method, `/session/${sessionId}${path}`, body);
    await inSession('POST', '/window/rect', { ...SIZE, x: 0, y: 0 });
    const close = async (): Promise<void> => {
      await inSession('DELETE', '').catch(() => undefined);
      await end(child);
      await release();
    };
    return { ...makePage(inSession), close };
  } catch (error) {
    await end(child);
    await release();
    throw error;
  }
}

function makePage(ask: Ask): Omit<WebkitPage, 'close'> {
  const run: WebkitPage['run'] = async (work, ...args) => {
    const script = `const args = [...arguments], done = args.pop();
      Promise.resolve().then(() => (${String(work)})(...args))
        .then((value) => done(JSON.stringify(value ?? null)), (error) => done('!' + error));`;
    const said = z.string().parse(await ask('POST', '/execute/async', { script, args }));
    // No JSON begins like this.
    if (said.startsWith('!')) throw new Error(said.slice(1));
    return JSON.parse(said);
  };
  /** The element that `look` returns in the page. */
  const find = async (look: (name: string) => Element | null | undefined, name: string): Promise<string> => {
    const script = `return (${String(look)})(...arguments)`;
    return Found.parse(await ask('POST', '/execute/sync', { script, args: [name] }))[ELEMENT];
  };
  const read = (): Promise<string> => run(() => document.body.innerText);
  const until = (what: string, look: () => Promise<boolean>): Promise<void> => tryUntil(what, look, read);
  return {
    run,
    goto: async (url) => void (await ask('POST', '/url', { url })),
    press: (name) =>
      until(`a button ${name}`, async () => {
        const element = await find(findButton, name);
        if (!(await run(canBeHit, { [ELEMENT]: element }))) return false;
        await ask('POST', `/element/${element}/click`, {});
        return true;
      }),
    type: (label, text) =>
      until(`a field ${label}`, async () => {
        const element = await find(emptyField, label);
        await ask('POST', `/element/${element}/value`, { text });
        return true;
      }),
    choose: (file) => until('a picker', () => run(putFile, file.name, file.mimeType, file.buffer.toString('base64'))),
    shows: (text) =>
      until(String(text), async () => {
        const shown = await read();
        return typeof text === 'string' ? shown.includes(text) : text.test(shown);
      }),
  };
}

/** Runs in the page. A card's name is its first line. */
function findButton(name: string): Element | undefined {
  const all = [...document.querySelectorAll<HTMLElement>('button:enabled, a[href]')];
  return all.find((one) => one.ariaLabel === name || one.innerText.trim().split('\n')[0] === name);
}

/** Runs in the page: whether it stands still, and nothing lies over it. WebDriver hands the element in. */
async function canBeHit(given: object): Promise<boolean> {
  if (!(given instanceof HTMLElement)) return false;
  given.scrollIntoView({ block: 'center', behavior: 'instant' });
  const before = given.getBoundingClientRect();
  await new Promise((resolve) => setTimeout(resolve, 150));
  const { top, left, width, height } = given.getBoundingClientRect();
  if (before.top !== top || before.height !== height) return false;
  return given.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}

/** Runs in the page. The field is emptied as a person would: what is typed comes after what stands there. */
function emptyField(label: string): Element | undefined {
  const all = [...document.querySelectorAll('label')];
  const field = all.find(({ innerText }) => innerText.trim().split('\n')[0] === label)?.control;
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return undefined;
  field.select();
  if (field.value !== '') document.execCommand('delete');
  return field;
}

/** Runs in the page. */
function putFile(name: string, type: string, base64: string): boolean {
  const picker = document.querySelector<HTMLInputElement>('input[type=file]');
  if (picker === null) return false;
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const given = new DataTransfer();
  given.items.add(new File([bytes], name, { type }));
  picker.files = given.files;
  picker.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}

/** Tries until `look` returns true: what it looks for may not be there yet, or be replaced while it looks. */
async function tryUntil(what: string, look: () => Promise<boolean>, read: () => Promise<string>): Promise<void> {
  const last = Date.now() + WAIT_MS;
  let problem = '';
  while (Date.now() < last) {
    const found = await look().catch((error: unknown) => {
      problem = String(error);
      return false;
    });
    if (found) return;
    await pause(LOOK_AGAIN_MS);
  }
  throw new Error(`WebKit never showed ${what}. ${problem}\n${await read()}`);
}

function makeAsk(driver: string): Ask {
  return async (method, path, body) => {
    const response = await fetch(`${driver}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(START_MS),
    });
    const { value } = Answer.parse(await response.json());
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value).slice(0, 400)}`);
    return value;
  };
}

const Answer = z.object({ value: z.unknown() });
const Status = z.object({ ready: z.boolean() });
const Session = z.object({ sessionId: z.string() });
const Found = z.object({ [ELEMENT]: z.string() });

async function untilReady(ask: Ask, child: ChildProcess): Promise<void> {
  const last = Date.now() + START_MS;
  while (Date.now() < last && child.exitCode === null) {
    const status = await ask('GET', '/status').catch(() => undefined);
    if (Status.safeParse(status).data?.ready === true) return;
    await pause(LOOK_AGAIN_MS);
  }
  throw new Error(
    `the driver of WebKit does not start${child.exitCode === null ? '' : `: ended with ${child.exitCode}`}`,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
