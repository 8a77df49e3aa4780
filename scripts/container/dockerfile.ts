/** One line of a Dockerfile, as far as this project uses the format. */
export type Step =
  | Readonly<{ kind: 'workdir'; folder: string }>
  | Readonly<{ kind: 'copy'; from: string | undefined; sources: readonly string[]; target: string }>
  | Readonly<{ kind: 'run'; command: string }>
  | Readonly<{ kind: 'env'; name: string; value: string }>
  | Readonly<{ kind: 'user'; name: string }>
  | Readonly<{ kind: 'health' | 'command'; command: readonly string[] }>
  | Readonly<{ kind: 'note'; text: string }>;

export type Stage = Readonly<{ image: string; name: string; steps: readonly Step[] }>;

/** Without effect on what is built and started. */
const NOTES = ['VOLUME', 'EXPOSE', 'STOPSIGNAL'];

/** Throws for an instruction that `scripts/try-container.ts` would not carry out. */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: { image: string; name: string; steps: Step[] }[] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '' && !each.startsWith('#'))) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [image = '', , name = ''] = rest.split(' ');
      stages.push({ image, name, steps: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`Dockerfile: no FROM before ${line}`);
      stage.steps.push(parseStep(word, rest, line));
    }
  }
  return stages;
}

function parseStep(word: string, rest: string, line: string): Step {
  switch (word) {
    case 'WORKDIR':
      return { kind: 'workdir', folder: rest };
    case 'COPY':
      return parseCopy(rest);
    case 'RUN':
      if (rest.startsWith('--')) throw new Error(`Dockerfile: not known: ${line}`);
      return { kind: 'run', command: rest };
    case 'ENV': {
      const [, name = '', value = ''] = /^(\w+)=(\S+)$/.exec(rest) ?? [];
      return { kind: 'env', name, value };
    }
    case 'USER':
      return { kind: 'user', name: rest };
    case 'HEALTHCHECK':
      return { kind: 'health', command: formatList(rest.replace(/^.* CMD /, '')) };
    case 'CMD':
      return { kind: 'command', command: formatList(rest) };
    default:
      if (NOTES.includes(word)) return { kind: 'note', text: line };
      throw new Error(`Dockerfile: not known: ${line}`);
  }
}

function parseCopy(rest: string): Step {
  const words = rest.split(' ');
  const from = words[0]?.startsWith('--from=') === true ? words.shift()?.slice('--from='.length) : undefined;
  return { kind: 'copy', from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
}

function formatList(json: string): readonly string[] {
  return JSON.parse(json) as string[];
}

/** Whether `.dockerignore` hands a file of the project to the builder: the last pattern that fits decides. */
export function isSent(ignore: string, file: string): boolean {
  const patterns = ignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return patterns.reduce((sent, pattern) => {
    const keeps = pattern.startsWith('!');
    return fits(keeps ? pattern.slice(1) : pattern, file) ? keeps : sent;
  }, true);
}

/** A pattern fits a file, and everything below a folder. */
function fits(pattern: string, file: string): boolean {
  const form = pattern
    .replaceAll('.', String.raw`\.`)
    .replaceAll('**/', '(?:.+/)?')
    .replaceAll(/(?<!\.)\*/g, '[^/]*');
  return new RegExp(`^${form}(?:/.*)?$`).test(file);
}
