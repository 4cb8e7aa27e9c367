import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FileRead, readBounded } from './read-file.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-read-')));
  file = join(folder, '.mcp.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Expected = { text: string } | { absent: true } | { code: string; says: string[] };

function check(read: FileRead, expected: Expected): void {
  expect(read).toMatchObject(toMatch(expected));
}

function toMatch(expected: Expected): object {
  if ('text' in expected) return { kind: 'text', text: expected.text };
  if ('absent' in expected) return { kind: 'absent' };
  const message = new RegExp(expected.says.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*'));
  return {
    kind: 'refused',
    error: { code: expected.code, message: expect.stringMatching(message), hint: expect.any(String) },
  };
}

test('a regular file is read with what is needed to judge it', () => {
  writeFileSync(file, '{"ä":"😀"}', { mode: 0o640 });
  const read = readBounded(file);
  check(read, { text: '{"ä":"😀"}' });
  expect(read).toMatchObject({ path: file, uid: process.getuid?.(), mode: 0o640, mtimeMs: expect.any(Number) });
});

test.each(['missing', 'missing/below', 'there/below', 'dangling'])('%s is absent, not an error', (name) => {
  writeFileSync(join(folder, 'there'), '');
  symlinkSync('nowhere', join(folder, 'dangling'));
  check(readBounded(join(folder, name)), { absent: true });
});

test('a symbolic link to a regular file is followed and its real path told', () => {
  writeFileSync(join(folder, 'real.json'), '{}');
  symlinkSync('real.json', file);
  expect(readBounded(file)).toMatchObject({ kind: 'text', text: '{}', path: join(folder, 'real.json') });
});

const notRegular = (kind: string): Expected => unreadable(`it is ${kind}, not a regular file`);

test('a FIFO, a device, a directory and links to them are refused and nothing hangs', () => {
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  check(readBounded(join(folder, 'fifo')), notRegular('a FIFO'));
  check(readBounded('/dev/zero'), notRegular('a device'));
  mkdirSync(join(folder, 'directory'));
  check(readBounded(join(folder, 'directory')), notRegular('a directory'));
  for (const [name, target, kind] of [
    ['1', 'fifo', 'a FIFO'],
    ['2', '/dev/zero', 'a device'],
    ['3', 'directory', 'a directory'],
  ] as const) {
    symlinkSync(target, join(folder, name));
    check(readBounded(join(folder, name)), notRegular(kind));
  }
});

test('a socket is refused', async () => {
  const server = createServer();
  await new Promise<void>((done) => {
    server.listen(join(folder, 'socket'), done);
  });
  check(readBounded(join(folder, 'socket')), { code: 'config-unreadable', says: ['it is a socket'] });
  await new Promise((done) => {
    server.close(done);
  });
});

test('symbolic links in a circle are refused', () => {
  symlinkSync('.mcp.json', file);
  check(readBounded(file), { code: 'config-unreadable', says: [file, 'circle'] });
});

test('2 GB are refused before a byte is read, with both sizes', () => {
  writeFileSync(file, '');
  truncateSync(file, 2 ** 31);
  check(readBounded(file), { code: 'config-too-large', says: [file, '2147483648', '1048576'] });
});

test('the limit itself is allowed, one byte more is not', () => {
  writeFileSync(file, 'x'.repeat(100));
  check(readBounded(file, { limit: 100 }), { text: 'x'.repeat(100) });
  check(readBounded(file, { limit: 99 }), { code: 'config-too-large', says: ['100', '99'] });
});

test('a file that has more than its size says is bounded all the same', () => {
  // A file of /proc has size 0 by fstat and yields kilobytes, like a file that grows while it is read.
  check(readBounded('/proc/self/status', { limit: 64 }), {
    code: 'config-too-large',
    says: ['65 bytes or more', '64'],
  });
  const read = readBounded('/proc/self/status');
  expect(read.kind === 'text' && read.text).toContain('Pid:');
});

const utf16 = Buffer.from('{"a":1}', 'utf16le');
test.each([
  ['a UTF-8 BOM is dropped', Buffer.from('\uFEFF{}'), { text: '{}' }],
  ['an empty file is an empty text', Buffer.alloc(0), { text: '' }],
  ['UTF-16 little endian is named', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), unreadable('UTF-16')],
  ['UTF-16 big endian is named', Buffer.from([0xfe, 0xff, 0, 0x7b, 0, 0x7d]), unreadable('UTF-16')],
  ['UTF-16 without a BOM is named', utf16, unreadable('UTF-16 without a mark')],
  ['Latin-1 is refused with its line', Buffer.from('{\n"a": "\xe4"}', 'latin1'), unreadable('near line 2')],
  ['a cut character is refused', Buffer.from('ä').subarray(0, 1), unreadable('not valid UTF-8')],
] as const)('%s', (_title, bytes, expected) => {
  writeFileSync(file, bytes);
  check(readBounded(file), expected);
});

function unreadable(part: string): Expected {
  return { code: 'config-unreadable', says: [part] };
}

test('a path that no system accepts is refused, not thrown', () => {
  check(readBounded('a\0b'), { code: 'config-unreadable', says: ['Cannot read'] });
  check(readBounded(join(folder, 'x'.repeat(300))), { code: 'config-unreadable', says: ['ENAMETOOLONG'] });
});

test('a file without permission is refused with a hint', (context) => {
  if (process.getuid?.() === 0) context.skip('root reads everything; test/faults/files.test.ts asks as another user');
  writeFileSync(file, '{}');
  chmodSync(file, 0);
  check(readBounded(file), { code: 'config-unreadable', says: ['permission denied'] });
});

test('reading leaves no descriptor open', () => {
  writeFileSync(file, '{}');
  linkSync(file, join(folder, 'large'));
  for (let index = 0; index < 5000; index++) readBounded(file, { limit: index % 2 }); // more often than the usual limit of open files
  check(readBounded(file), { text: '{}' });
});
