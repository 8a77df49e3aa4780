import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { errorBody } from './errors.ts';
import { toRestError } from './convert-error.ts';

function database(code: string, message = 'm'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, 1, 'error'), { code });
}

describe('contract §2.3: SQLSTATE → HTTP', () => {
  test.each([
    ['08006', 503],
    ['09000', 500],
    ['0L000', 403],
    ['0P000', 403],
    ['21000', 500],
    ['22023', 400],
    ['22P02', 400],
    ['23502', 400],
    ['23503', 409],
    ['23505', 409],
    ['23514', 400],
    ['25006', 405],
    ['25P02', 500],
    ['28000', 403],
    ['2D000', 500],
    ['38000', 500],
    ['39000', 500],
    ['3B000', 500],
    ['40001', 500],
    ['42501', 401],
    ['42703', 400],
    ['42883', 404],
    ['42P01', 404],
    ['42P17', 500],
    ['53100', 503],
    ['53400', 500],
    ['54000', 500],
    ['55000', 500],
    ['57014', 500],
    ['57P01', 503],
    ['57P03', 503],
    ['58000', 500],
    ['F0000', 500],
    ['HV000', 500],
    ['P0001', 400],
    ['P0002', 500],
    ['PT404', 404],
    ['PT999', 500],
    ['XX000', 500],
    ['ZZ000', 400],
  ])('%s → %i', (code, status) => expect(toRestError(database(code), false).status).toBe(status));

  test('Answers 42501 with 403 to a login', () => expect(toRestError(database('42501'), true).status).toBe(403));

  test('Knows an unknown role, a missing WHERE and too deep a search by their messages', () => {
    expect(toRestError(database('22023', 'role "x" does not exist'), true).status).toBe(401);
    expect(toRestError(database('XX000', 'tsquery stack too small'), true).status).toBe(400);
    expect(toRestError(database('21000', 'DELETE requires a WHERE clause'), true).status).toBe(400);
  });

  test('Answers PGRST121 where the JSON of a raised PGRST error is broken', () => {
    expect(toRestError(database('PGRST', 'no json'), false)).toMatchObject({ status: 500, code: 'PGRST121' });
    expect(toRestError(database('PGRST', '{"code":"1","message":"m"}'), false)).toMatchObject({ code: 'PGRST121' });
  });
});

describe('errors outside the database', () => {
  test.each([
    [new Error('timeout exceeded when trying to connect'), 504, 'PGRST003'],
    [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 503, 'PGRST000'],
    [Object.assign(new Error('x'), { code: 'ENOENT' }), 503, 'PGRST000'],
    [new Error('Connection terminated unexpectedly'), 503, 'PGRST001'],
    [Object.assign(new Error('read'), { code: 'ECONNRESET' }), 503, 'PGRST001'],
    [Object.assign(new Error('Request body is too large'), { statusCode: 413 }), 413, 'PGRST102'],
  ])('%s → %i %s', (error, status, code) => expect(toRestError(error, false)).toMatchObject({ status, code }));

  test('Shows no text of an unexpected error', () => {
    const error = toRestError(new TypeError('secret detail'), false);
    expect(error.status).toBe(500);
    expect(errorBody(error)).toBe('{"code":"PGRSTX00","details":null,"hint":null,"message":"Internal server error"}');
  });
});
