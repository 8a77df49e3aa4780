import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

/** The part of a vitest or Playwright report that `npm test` uses. An unreadable file counts as no test. */
export type Outcome = Readonly<{ passed: number; failed: readonly Failure[] }>;

/** `message` is the start of what the runner says about the failure. */
export type Failure = Readonly<{ file: string; name: string; message?: string }>;

const MESSAGE_LINES = 12;

const VitestSchema = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.optional(z.string()),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.optional(z.array(z.string())) }),
      ),
    }),
  ),
});

const ErrorSchema = z.object({ message: z.optional(z.string()) });
const SpecSchema = z.object({
  title: z.string(),
  file: z.string(),
  tests: z.array(
    z.object({
      status: z.string(),
      results: z.optional(z.array(z.object({ errors: z.optional(z.array(ErrorSchema)) }))),
    }),
  ),
});
const SuiteSchema = z.object({
  specs: z.optional(z.array(SpecSchema)),
  get suites() {
    return z.optional(z.array(SuiteSchema));
  },
});
const PlaywrightSchema = z.object({ suites: z.array(SuiteSchema) });

export function readVitestReport(file: string): Outcome {
  const report = VitestSchema.safeParse(readJson(file)).data;
  if (report === undefined) return { passed: 0, failed: [] };
  const failed = report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }): Failure[] => {
      const tests = assertionResults.filter(({ status }) => status === 'failed');
      // A file whose hook or import failed has no failed test of its own.
      if (tests.length === 0) return [failure(name, '(the file itself)', message)];
      return tests.map(({ fullName, failureMessages }) => failure(name, fullName, failureMessages?.[0]));
    });
  return { passed: report.numPassedTests, failed };
}

/** A test that passes only at its second try has failed: its first try is what a user would have met. */
export function readPlaywrightReport(file: string): Outcome {
  const report = PlaywrightSchema.safeParse(readJson(file)).data;
  const tests = (report?.suites ?? [])
    .flatMap(collectSpecs)
    .flatMap((spec) => spec.tests.map((test) => ({ ...test, file: spec.file, name: spec.title })));
  const failed = tests
    .filter(({ status }) => status === 'unexpected' || status === 'flaky')
    .map(({ status, file: where, name, results }) => {
      const flaky = status === 'flaky' ? ' (passed at the second try)' : '';
      return failure(where, `${name}${flaky}`, results?.[0]?.errors?.[0]?.message);
    });
  return { passed: tests.filter(({ status }) => status === 'expected').length, failed };
}

function collectSpecs(suite: z.infer<typeof SuiteSchema>): readonly z.infer<typeof SpecSchema>[] {
  return [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(collectSpecs)];
}

function failure(file: string, name: string, message = ''): Failure {
  if (message === '') return { file, name };
  return { file, name, message: message.split('\n').slice(0, MESSAGE_LINES).join('\n') };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
