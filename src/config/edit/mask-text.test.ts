import { describe, expect, test } from 'vitest';
import { maskText } from './mask-text.js';

function check(text: string, expected: string): void {
  expect(maskText(text)).toBe(expected);
  expect(maskText(expected)).toBe(expected);
}

describe('a file is shown line by line as it is, without its secrets', () => {
  test.each<[what: string, text: string, expected: string]>([
    [
      'with comments, blanks and commas',
      '// top\n{\n  "mcpServers": {\n    "a": { "command": "x", // why\n      "env": { "T" : "abc", "R": "${R}", }, },\n  },\n}\n',
      '// top\n{\n  "mcpServers": {\n    "a": { "command": "x", // why\n      "env": { "T" : "••••", "R": "${R}", }, },\n  },\n}\n',
    ],
    [
      'in one line',
      '{"mcpServers":{"a":{"args":["--token","abc"]}}}',
      '{"mcpServers":{"a":{"args":["--token","••••"]}}}',
    ],
    ['with a number', '{"mcpServers":{"a":{"env":{"PIN":1234}}}}', '{"mcpServers":{"a":{"env":{"PIN":"••••"}}}}'],
    [
      'with escapes',
      '{"mcpServers":{"a":{"env":{"\\u0054":"a\\nb"}}}}',
      '{"mcpServers":{"a":{"env":{"\\u0054":"••••"}}}}',
    ],
    [
      'with nothing to hide',
      '{"mcpServers":{"a":{"command":"x","args":["\\u0061"]}}}',
      '{"mcpServers":{"a":{"command":"x","args":["\\u0061"]}}}',
    ],
    [
      'with a name that stands twice',
      '{"mcpServers":{"a":{"env":{"T":"abc"}},"a":{"env":{"T":"abd","T":"abe"}}}}',
      '{"mcpServers":{"a":{"env":{"T":"••••"}},"a":{"env":{"T":"••••","T":"••••"}}}}',
    ],
    [
      'with two lists of servers',
      '{"mcpServers":{"a":{"env":{"T":"abc"}}},"mcpServers":{"b":{"env":{"T":"abc"}}}}',
      '{"mcpServers":{"a":{"env":{"T":"••••"}}},"mcpServers":{"b":{"env":{"T":"••••"}}}}',
    ],
    [
      'with a URL that was replaced further down',
      '{"mcpServers":{"a":{"url":"https://h.test/?key=abc","url":"https://h.test/"}}}',
      '{"mcpServers":{"a":{"url":"••••","url":"https://h.test/"}}}',
    ],
    [
      'with __proto__ in every place',
      '{"mcpServers":{"__proto__":{"env":{"__proto__":"abc"},"__proto__":{"command":"x","token":"abc"}}}}',
      '{"mcpServers":{"__proto__":{"env":{"__proto__":"••••"},"__proto__":{"command":"x","token":"••••"}}}}',
    ],
    [
      'with settings',
      '{"settings":{"connectors":{"url":"https://u:p@h.test","token":"abc"},"links":["cursor"]}}',
      '{"settings":{"connectors":{"url":"https://••••@h.test","token":"••••"},"links":["cursor"]}}',
    ],
    [
      'with an entry in a comment',
      '{\n// "a": { "args": ["ghp_abcdefghijklmnopqrstuvwxyz0123456789"] }\n}',
      '{\n// "a": { "args": ["••••"] }\n}',
    ],
    [
      'with entries that are none',
      '{"mcpServers":{"a":"x","b":[1],"c":null}}',
      '{"mcpServers":{"a":"x","b":[1],"c":null}}',
    ],
    ['with no servers', '{"project":"/home/me/work"}', '{"project":"/home/me/work"}'],
    ['that is no object', '[1]', '[1]'],
    ['that is empty', '', ''],
  ])('%s', (_, text, expected) => check(text, expected));
});

test('a file that is cut off anywhere shows no secret either', () => {
  const text = '{ "mcpServers": { "a": { "env": { "T": "hunter2" }, "headers": { "A": "Bearer hunter2" } } } }';
  for (let length = 0; length <= text.length; length++) {
    const cut = text.slice(0, length);
    expect(maskText(cut)).not.toMatch(/hunter2"/u);
  }
});
