import { expect, test } from 'vitest';
import { mostInformativeLine } from './informative-line.js';

const nonMessage = Array.from({ length: 200 }, (_, at) => `reconnecting, attempt ${at}`);

test.each<[what: string, lines: readonly string[], telling: string]>([
  ['the cause that stands first', ['Error: no database at 5432', ...nonMessage, 'bye'], 'Error: no database at 5432'],
  ['the cause that stands in the middle', [...nonMessage, 'fatal: no key', ...nonMessage], 'fatal: no key'],
  [
    'the cause that stands last',
    [...nonMessage, 'ModuleNotFoundError: No module named x'],
    'ModuleNotFoundError: No module named x',
  ],
  [
    'an error, rather than a warning before it that speaks of one',
    ['(node:1) Warning: an error handler is missing', 'npm warn deprecated x: failed', 'Error: no key'],
    'Error: no key',
  ],
  ['an error that is named, rather than one that is mentioned', ['3 checks failed', 'error: no key'], 'error: no key'],
  [
    'the exception, and not where it was raised',
    ['Traceback (most recent call last):', '  File "x.py", line 1, in <module>', "KeyError: 'API_KEY'"],
    "KeyError: 'API_KEY'",
  ],
  [
    'what node says of a module, and not its frames',
    [
      'node:internal/modules/cjs/loader:1228',
      '  throw err;',
      '  ^',
      '',
      "Error: Cannot find module '/x.js'",
      '    at x',
      '',
      'Node.js v20.1.0',
    ],
    "Error: Cannot find module '/x.js'",
  ],
  ['what is missing', ['starting', 'API_KEY is required', 'usage: x --key KEY'], 'API_KEY is required'],
  ['the first of two that tell as much', ['Error: one', 'Error: two'], 'Error: one'],
  [
    'a panic of Rust',
    ['note: run with', "thread 'main' panicked at src/main.rs:1:1:", 'x'],
    "thread 'main' panicked at src/main.rs:1:1:",
  ],
  ['the last, where no line looks like an error', ['one', 'finished with 0 errors', 'two'], 'two'],
  ['nothing, where nothing was said', ['', ' '], ''],
])('of what a server said, %s is told', (_what, lines, telling) => {
  expect(mostInformativeLine(lines.join('\n'))).toBe(telling);
});

test('a line without end is cut, and looked at in no time', () => {
  const line = `Error: ${'no '.repeat(100_000)}`;
  expect(mostInformativeLine(line)).toBe(`${line.slice(0, 300)}…`);
});
