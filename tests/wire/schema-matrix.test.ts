import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { probe } from '#tests/support/callers.ts';
import { MATRIX, type Resource } from '#tests/support/matrix.ts';
import { MATRIX_CASES, planCase, prepareMatrix, summarize, type MatrixFixture } from '#tests/support/matrix-cases.ts';

let server: TestServer;
let fixture: MatrixFixture;
beforeAll(async () => {
  server = await bootServer();
  fixture = await prepareMatrix(server.backend.database, server.databaseUrl);
});
afterAll(() => server.stop());

describe.each(Object.keys(MATRIX) as Resource[])('security.md matrix: %s', (resource) => {
  const cases = MATRIX_CASES.filter((one) => one.resource === resource);
  test.each(cases)('$verb by $who, $target: $expected', async (one) => {
    const { context, sql, params } = planCase(fixture, one);
    expect(summarize(await probe(server.backend.database, context, sql, params))).toBe(one.expected);
  });
});
