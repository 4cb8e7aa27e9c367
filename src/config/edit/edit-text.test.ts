import { describe, expect, test } from 'vitest';
import { getFromText, removeFromText, setInText } from './edit-text.js';

type Path = readonly string[];
type Row = readonly [what: string, before: string, path: Path, after: string];

/** Compare the exact text after the edit, and the value in it. */
function checkSet(before: string, path: Path, value: unknown, after: string): void {
  expect(setInText(before, path, value)).toBe(after);
  expect(getFromText(after, path)).toEqual(value);
}
function checkRemove(before: string, path: Path, after: string): void {
  expect(removeFromText(before, path)).toBe(after);
  expect(getFromText(after, path)).toBeUndefined();
}

const FILE = `// Servers of this team. Ask #tools before you change this.
{
  "$schema": "https://json.schemastore.org/mcp.json",
  "mcpServers": {
    // The database, read only.
    "db": { "command": "npx", "args": ["-y", "db-server"] }, // since March
    /* slow */ "docs": {
      "type": "http",
      "url": "https://docs.example.com/mcp" // the new one
    },
    "git": { "command": "git-mcp" }
    // end of servers
  },
  "other": [1, 2, 3] /* kept */
}
`;

describe('a new server is written behind the others, and nothing else moves', () => {
  const x = { command: 'x' };
  test.each<Row>([
    [
      'in a file with comments',
      FILE,
      ['mcpServers', 'x'],
      FILE.replace('"git-mcp" }\n', '"git-mcp" },\n').replace(
        '    // end of servers\n',
        '    // end of servers\n    "x": {\n      "command": "x"\n    }\n',
      ),
    ],
    ['in an empty object', '{}\n', ['x'], '{\n  "x": {\n    "command": "x"\n  }\n}\n'],
    ['in an empty object with a blank', '{ }', ['x'], '{\n  "x": {\n    "command": "x"\n  }\n}'],
    [
      'in an object that has to be made',
      '{}',
      ['a', 'x'],
      '{\n  "a": {\n    "x": {\n      "command": "x"\n    }\n  }\n}',
    ],
    [
      'in an object with a comment only',
      '{\n  // none yet\n}',
      ['x'],
      '{\n  // none yet\n  "x": {\n    "command": "x"\n  }\n}',
    ],
    ['behind a trailing comma', '{\n  "a": 1,\n}', ['x'], '{\n  "a": 1,\n  "x": {\n    "command": "x"\n  },\n}'],
    [
      'behind a trailing comma and a remark',
      '{\n  "a": 1, // one,\n}',
      ['x'],
      '{\n  "a": 1, // one,\n  "x": {\n    "command": "x"\n  },\n}',
    ],
    [
      'behind a remark with braces in it',
      '{\n  "a": 1 // }, {\n}',
      ['x'],
      '{\n  "a": 1, // }, {\n  "x": {\n    "command": "x"\n  }\n}',
    ],
    ['in one line', '{ "a": 1 }', ['x'], '{ "a": 1, "x": {"command":"x"} }'],
    ['in one line with a trailing comma', '{ "a": 1, }', ['x'], '{ "a": 1, "x": {"command":"x"}, }'],
    ['in one line behind a remark', '{ "a": 1 /* one */ }', ['x'], '{ "a": 1, /* one */ "x": {"command":"x"} }'],
    ['in a minified file', '{"a":{"b":1}}', ['a', 'x'], '{"a":{"b":1, "x": {"command":"x"}}}'],
    [
      'with tabs',
      '{\n\t"a": {\n\t\t"b": 1\n\t}\n}',
      ['a', 'x'],
      '{\n\t"a": {\n\t\t"b": 1,\n\t\t"x": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}',
    ],
    ['with four blanks', '{\n    "a": 1\n}', ['x'], '{\n    "a": 1,\n    "x": {\n        "command": "x"\n    }\n}'],
    ['with CRLF', '{\r\n  "a": 1\r\n}\r\n', ['x'], '{\r\n  "a": 1,\r\n  "x": {\r\n    "command": "x"\r\n  }\r\n}\r\n'],
    [
      'with CRLF and a remark',
      '{\r\n  "a": 1 // one\r\n}',
      ['x'],
      '{\r\n  "a": 1, // one\r\n  "x": {\r\n    "command": "x"\r\n  }\r\n}',
    ],
    [
      'with CRLF into nothing',
      '{\r\n  "m": {}\r\n}',
      ['m', 'x'],
      '{\r\n  "m": {\r\n    "x": {\r\n      "command": "x"\r\n    }\r\n  }\r\n}',
    ],
    ['without a line end at the end', '{\n  "a": 1}', ['x'], '{\n  "a": 1,\n  "x": {\n    "command": "x"\n  }\n}'],
    [
      'under a key that needs escapes',
      '{\n  "a": 1\n}',
      ['"\\\n'],
      '{\n  "a": 1,\n  "\\"\\\\\\n": {\n    "command": "x"\n  }\n}',
    ],
    ['under __proto__', '{ "a": 1 }', ['__proto__'], '{ "a": 1, "__proto__": {"command":"x"} }'],
    [
      'below a __proto__ that has to be made',
      '{ "a": 1 }',
      ['__proto__', 'x'],
      '{ "a": 1, "__proto__": {"x":{"command":"x"}} }',
    ],
    ['under constructor', '{ "a": 1 }', ['constructor'], '{ "a": 1, "constructor": {"command":"x"} }'],
    [
      'into the last of two, which is the one that counts',
      '{ "m": {}, "m": { "a": 1 } }',
      ['m', 'x'],
      '{ "m": {}, "m": { "a": 1, "x": {"command":"x"} } }',
    ],
  ])('%s', (_, before, path, after) => checkSet(before, path, x, after));
});

describe('a value is replaced where it stands', () => {
  test.each<[what: string, before: string, path: Path, value: unknown, after: string]>([
    ['a number', '{ "a": 1, // one\n "b": 2 }', ['a'], 3, '{ "a": 3, // one\n "b": 2 }'],
    ['a text', '{"a":"x"}', ['a'], 'y"', '{"a":"y\\""}'],
    [
      'an object',
      '{\n  "a": {\n    "b": 1 // gone\n  }, // kept\n  "c": 2\n}',
      ['a'],
      { d: 1 },
      '{\n  "a": {\n    "d": 1\n  }, // kept\n  "c": 2\n}',
    ],
    ['by an empty one', '{ "a": { "b": 1 } }', ['a'], {}, '{ "a": {} }'],
    ['by null', '{ "a": { "b": 1 } }', ['a'], null, '{ "a": null }'],
    [
      'deep inside',
      FILE,
      ['mcpServers', 'docs', 'url'],
      'https://n.test',
      FILE.replace('https://docs.example.com/mcp', 'https://n.test'),
    ],
    ['under a key that is written with escapes', '{ "\\u0061": 1 }', ['a'], 2, '{ "\\u0061": 2 }'],
    ['the one that counts of two', '{ "a": 1, "a": 2 }', ['a'], 3, '{ "a": 1, "a": 3 }'],
    ['__proto__', '{ "__proto__": { "a": 1 } }', ['__proto__', 'a'], 2, '{ "__proto__": { "a": 2 } }'],
    [
      'a value behind a comment with a colon',
      '{ "a" /* : 0 */ : /* x */ 1 }',
      ['a'],
      2,
      '{ "a" /* : 0 */ : /* x */ 2 }',
    ],
  ])('%s', (_, before, path, value, after) => checkSet(before, path, value, after));
});

describe('a removed server takes its line and its remark with it, and nothing else', () => {
  test.each<Row>([
    ['the first', FILE, ['mcpServers', 'db'], FILE.replace(/\n {4}"db".*/u, '')],
    ['the middle one, behind a comment', FILE, ['mcpServers', 'docs'], FILE.replace(/"docs": \{[^}]*\},/u, '')],
    ['the last', FILE, ['mcpServers', 'git'], FILE.replace('\n    },\n    "git": { "command": "git-mcp" }', '\n    }')],
    ['all of them', FILE, ['mcpServers'], FILE.replace(/\n {2}"mcpServers"[^]*?\n {2}\},/u, '')],
    ['the last of the file', FILE, ['other'], FILE.replace('  },\n  "other": [1, 2, 3] /* kept */\n', '  }\n')],
    ['what is not there', FILE, ['mcpServers', 'nobody'], FILE],
    ['what is not there, deep', FILE, ['x', 'y', 'z'], FILE],
    ['the only one', '{\n  "m": {\n    "a": 1\n  }\n}', ['m', 'a'], '{\n  "m": {}\n}'],
    ['the only one in one line', '{ "a": 1 }', ['a'], '{}'],
    ['the only one, minified', '{"a":1}', ['a'], '{}'],
    ['the only one with a trailing comma', '{\n  "a": 1,\n}', ['a'], '{}'],
    ['the only one below a comment', '{\n  // about a\n  "a": 1\n}', ['a'], '{\n  // about a\n}'],
    ['the first of a line', '{ "a": 1, "b": 2 }', ['a'], '{ "b": 2 }'],
    ['the middle of a line', '{ "a": 1, "b": 2, "c": 3 }', ['b'], '{ "a": 1, "c": 3 }'],
    ['the last of a line', '{ "a": 1, "b": 2 }', ['b'], '{ "a": 1 }'],
    ['the first, minified', '{"a":1,"b":2}', ['a'], '{"b":2}'],
    ['the middle, minified', '{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
    ['the last, minified', '{"a":1,"b":2}', ['b'], '{"a":1}'],
    ['the last with a trailing comma', '{\n  "a": 1,\n  "b": 2,\n}', ['b'], '{\n  "a": 1,\n}'],
    ['with CRLF, the first', '{\r\n  "a": 1,\r\n  "b": 2\r\n}', ['a'], '{\r\n  "b": 2\r\n}'],
    [
      'with CRLF, the middle',
      '{\r\n  "a": 1,\r\n  "b": 2, // two\r\n  "c": 3\r\n}',
      ['b'],
      '{\r\n  "a": 1,\r\n  "c": 3\r\n}',
    ],
    ['with CRLF, the last', '{\r\n  "a": 1,\r\n  "b": 2\r\n}', ['b'], '{\r\n  "a": 1\r\n}'],
    ['with tabs', '{\n\t"a": 1,\n\t"b": 2\n}', ['a'], '{\n\t"b": 2\n}'],
    ['with the comma on the next line', '{\n  "a": 1\n, "b": 2\n, "c": 3\n}', ['b'], '{\n  "a": 1\n, "c": 3\n}'],
    ['before a remark about the next', '{ "a": 1, /* about b */ "b": 2 }', ['a'], '{ /* about b */ "b": 2 }'],
    [
      'behind a remark with a comma',
      '{\n  "a": 1, // one, two\n  "b": 2 // three,\n}',
      ['b'],
      '{\n  "a": 1 // one, two\n}',
    ],
    ['between two remarks in a line', '{ // 1\n"a":1/* 2 */}/* 3 */', ['a'], '{ // 1\n/* 2 */}/* 3 */'],
    ['with a comma inside its remark', '{\n  "a": 1 /* , */,\n  "b": 2\n}', ['a'], '{\n  "b": 2\n}'],
    ['a name that stands twice', '{ "a": 1, "b": 2, "a": 3 }', ['a'], '{ "b": 2 }'],
    ['a name that stands twice by an escape', '{\n  "a": 1,\n  "\\u0061": 2\n}', ['a'], '{}'],
    ['__proto__', '{ "a": 1, "__proto__": { "command": "x" } }', ['__proto__'], '{ "a": 1 }'],
    ['in a list, nothing', '{ "a": [1, 2] }', ['a', '0'], '{ "a": [1, 2] }'],
  ])('%s', (_, before, path, after) => checkRemove(before, path, after));
});

describe('what cannot be edited is refused and says so', () => {
  test.each<[text: string, path: Path, message: string]>([
    ['{ "a": 1 }', ['a', 'b'], '"a" is not an object'],
    ['{ "a": [1] }', ['a', 'b'], '"a" is not an object'],
    ['{ "a": { "b": null } }', ['a', 'b', 'c', 'd'], '"a.b" is not an object'],
    ['[]', ['a'], 'is not a JSON object'],
    ['"text"', ['a'], 'is not a JSON object'],
    ['', ['a'], 'is not a JSON object'],
    ['// only a comment', ['a'], 'is not a JSON object'],
    ['{ "a": 1', ['a'], 'is not a JSON object'],
    ['{ "a": 1 } }', ['a'], 'is not a JSON object'],
    ["{ 'a': 1 }", ['a'], 'is not a JSON object'],
  ])('%j', (text, path, message) => {
    expect(() => setInText(text, path, 1)).toThrow(message);
  });
});

describe('what a path leads to is read as JSON.parse would', () => {
  test.each<[text: string, path: Path, expected: unknown]>([
    ['{ "a": { "b": [1, { "c": null }] } }', ['a'], { b: [1, { c: null }] }],
    ['{ "a": 1, "a": 2 }', ['a'], 2],
    ['{ "a": 1 }', [], { a: 1 }],
    ['{ "a": 1 }', ['toString'], undefined],
    ['{ "a": 1 }', ['__proto__'], undefined],
    ['{ "a": null }', ['a', 'b'], undefined],
  ])('%j at %j', (text, path, expected) => expect(getFromText(text, path)).toEqual(expected));

  test('a __proto__ in the file is a field, not the prototype', () => {
    const value = getFromText('{ "m": { "__proto__": { "command": "x" } } }', ['m']) as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('command' in value).toBe(false);
  });
});
