import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

/** What vitest and Playwright write of a run, as far as it is read here. Unreadable files are no report. */
export type Outcome = Readonly<{ passed: number; failed: readonly Failure[]; lame: readonly string[] }>;

export type Failure = Readonly<{ file: string; name: string }>;

const VitestSchema = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

const SpecSchema = z.object({
  title: z.string(),
  file: z.string(),
  tests: z.array(z.object({ status: z.string() })),
});
const SuiteSchema = z.object({
  specs: z.optional(z.array(SpecSchema)),
  get suites() {
    return z.optional(z.array(SuiteSchema));
  },
});
const PlaywrightSchema = z.object({ suites: z.array(SuiteSchema) });

export function vitestOutcome(file: string): Outcome {
  const read = VitestSchema.safeParse(parsed(file));
  if (!read.success) return { passed: 0, failed: [], lame: [] };
  const report = read.data;
  const failed = report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const names = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
      // A file whose hook or import failed has no failed test of its own.
      return (names.length === 0 ? ['(the file itself)'] : names).map((test) => ({ file: name, name: test }));
    });
  return { passed: report.numPassedTests, failed, lame: [] };
}

export function playwrightOutcome(file: string): Outcome {
  const specs = (PlaywrightSchema.safeParse(parsed(file)).data?.suites ?? []).flatMap(specsOf);
  const tests = specs.flatMap((spec) =>
    spec.tests.map(({ status }) => ({ status, file: spec.file, name: spec.title })),
  );
  const lame = tests.filter(({ status }) => status === 'flaky').map(({ file: where, name }) => `${where} › ${name}`);
  return {
    passed: tests.filter(({ status }) => status === 'expected').length + lame.length,
    failed: tests.filter(({ status }) => status === 'unexpected'),
    lame,
  };
}

function specsOf(suite: z.infer<typeof SuiteSchema>): readonly z.infer<typeof SpecSchema>[] {
  return [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
