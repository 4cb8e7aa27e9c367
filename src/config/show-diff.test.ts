import { expect, test } from 'vitest';
import { showDiff } from './show-diff.js';

interface Case {
  readonly before: string | undefined;
  readonly after: string;
  readonly reveal?: boolean;
  readonly expected: readonly string[];
}

function check({ before, after, reveal = false, expected }: Case): void {
  expect(showDiff({ file: '/f', before, after, changed: before !== after }, { reveal }).split('\n')).toEqual(expected);
}

const secret = '{\n  "mcpServers": { "a": { "command": "x", "env": { "K": "hunter2" } } }\n}\n';

test.each<[string, Case]>([
  [
    'a new file',
    { before: undefined, after: '{\n}\n', expected: ['--- (new file)', '+++ /f', '@@ line 1 @@', '+{', '+}'] },
  ],
  ['no change', { before: '{}\n', after: '{}\n', expected: ['/f: nothing would change'] }],
  [
    'a line in the middle, with three around it',
    {
      before: '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
      after: '1\n2\n3\n4\nfive\n6\n7\n8\n9\n',
      expected: ['--- /f', '+++ /f', '@@ line 2 @@', ' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8'],
    },
  ],
  ['a line less', { before: 'a\nb\n', after: 'a\n', expected: ['--- /f', '+++ /f', '@@ line 1 @@', ' a', '-b'] }],
  [
    'lines that end as on Windows',
    { before: 'a\r\nb\r\n', after: 'a\r\nc\r\n', expected: ['--- /f', '+++ /f', '@@ line 1 @@', ' a', '-b', '+c'] },
  ],
  [
    'secrets, masked',
    {
      before: '{}\n',
      after: secret,
      expected: [
        '--- /f',
        '+++ /f',
        '@@ line 1 @@',
        '-{}',
        '+{',
        '+  "mcpServers": { "a": { "command": "x", "env": { "K": "••••" } } }',
        '+}',
      ],
    },
  ],
  [
    'secrets, when asked for',
    {
      before: '{}\n',
      after: secret,
      reveal: true,
      expected: [
        '--- /f',
        '+++ /f',
        '@@ line 1 @@',
        '-{}',
        '+{',
        '+  "mcpServers": { "a": { "command": "x", "env": { "K": "hunter2" } } }',
        '+}',
      ],
    },
  ],
  [
    'what a terminal would obey, without it',
    {
      before: undefined,
      after: '"\u001B[2J\u202Ex"\n',
      expected: ['--- (new file)', '+++ /f', '@@ line 1 @@', '+"x"'],
    },
  ],
])('a difference shows %s', (_, expected) => check(expected));
