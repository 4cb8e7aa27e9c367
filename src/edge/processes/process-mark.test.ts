import { expect, test } from 'vitest';
import { HostMark, MARK_VARIABLE, marksIn } from './process-mark.js';

const environment = (...variables: string[]): Buffer => Buffer.from(`PATH=/bin\0${variables.join('\0')}\0`);

test('each server of a host has a mark of its own that names the host', () => {
  const host = new HostMark(undefined);
  const [one, other] = [host.nextServer(), host.nextServer()];
  expect(one.mark).not.toBe(other.mark);
  expect(marksIn(environment(`${MARK_VARIABLE}=${one.env[MARK_VARIABLE]}`))).toEqual([[host.host.id, one.mark]]);
  expect(new HostMark(undefined).host.id).not.toBe(host.host.id);
});

test('what a host within a host starts carries the marks of both', () => {
  const outer = new HostMark(undefined);
  const server = outer.nextServer();
  const inner = new HostMark(server.env[MARK_VARIABLE]);
  const nested = inner.nextServer();
  expect(marksIn(environment(`${MARK_VARIABLE}=${nested.env[MARK_VARIABLE]}`))).toEqual([
    [outer.host.id, server.mark],
    [inner.host.id, nested.mark],
  ]);
});

test.each([
  ['nothing', ''],
  ['something else', 'localhost:8080'],
  ['a mark that is not ended', new HostMark(undefined).nextServer().mark],
  ['far too many', new HostMark(undefined).nextServer().env[MARK_VARIABLE]!.repeat(31)],
])('a variable of this name that holds %s is not handed on', (_title, value) => {
  const server = new HostMark(value).nextServer();
  expect(server.env).toEqual({ [MARK_VARIABLE]: `${server.mark};` });
});

test('marks are found wherever they stand, and nothing else is taken for one', () => {
  expect(marksIn(environment())).toEqual([]);
  expect(marksIn(environment(`${MARK_VARIABLE}=;;x`, 'A=a.b;'))).toEqual([]);
  const both = environment(`${MARK_VARIABLE}=a.1;`, 'B=1', `${MARK_VARIABLE}=b.2;c.3;`);
  const pairs = [
    ['a', 'a.1'],
    ['b', 'b.2'],
    ['c', 'c.3'],
  ];
  expect(marksIn(both)).toEqual(pairs);
  expect(marksIn(both.subarray(0, -2))).toEqual(pairs); // truncated, the last mark without its `;`
  expect(marksIn(environment(`${MARK_VARIABLE}=${'x'.repeat(100_000)}.1;`))).toEqual([]);
});
