import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../any-character.js';
import { clientSource, type SourceServer, type SourceTool } from '../../src/model/source/client-source.js';
import { programSource } from '../../src/model/source/program-source.js';
import { anySchema } from '../profiles/any-schema.js';
import { nastySchemas } from '../profiles/nasty-definitions.js';
import realDefinitions from '../profiles/real-definitions.json' with { type: 'json' };
import { compile, makeProject, shapeOf } from './compile.js';

/** A word that must never be code, in everything that ends a string, a comment, a template or a line. */
const escapes = [
  '*/ PWNED(); /*',
  '"; PWNED(); "',
  "'; PWNED(); '",
  '`${PWNED()}`',
  '${PWNED()}',
  '\n*/\nPWNED();\n/*',
  '\r PWNED(); \u2028 PWNED(); \u2029 PWNED(); \u0085 PWNED();',
  '\\"; PWNED(); //',
  '\\',
  '\\u0022; PWNED(); //',
  '// PWNED()',
  '/* PWNED() */',
  '<!-- PWNED() -->',
  '</script><script>PWNED()</script>',
  '@ts-ignore PWNED',
  ' @ts-expect-error',
  'a\n * @ts-expect-error',
  '@deprecated PWNED',
  '@type {PWNED}',
  '#!/usr/bin/env PWNED',
  'import("PWNED")',
  '\u202E/* PWNED \u2066',
  '\uD800',
  '\0',
  '*',
  '/',
  '',
  '   ',
];
const names = [
  ...escapes,
  '__proto__',
  'constructor',
  'prototype',
  'then',
  'toString',
  'class',
  'default',
  'delete',
  'import',
  'await',
  'arguments',
  'eval',
  'new',
  'get',
  'static',
  'Host',
  'HostError',
  'CallResult',
  'CallOptions',
  'SERVER',
  'call',
  'host',
  'help',
  'json',
  'no-json',
  'create_issue',
  'createIssue',
  'create-issue',
  'CREATE ISSUE',
  'create\u200Bissue',
  'сreate_issue',
  'ｃreate',
  'größe',
  '名前',
  '1',
  '01',
  '1.0',
  '-1',
  '2fa',
  'a.b.c',
  'x'.repeat(256),
];

const entries = (of: (name: string, at: number) => unknown): object =>
  Object.fromEntries([...new Set(names)].map((name, at) => [name, of(name, at)]));

const tool = (name: string, more: Partial<SourceTool> = {}): SourceTool => ({
  name: 'mcp__x__y',
  tool: name,
  description: '',
  inputSchema: { type: 'object' },
  outputSchema: undefined,
  ...more,
});

const everywhere = {
  type: 'object',
  description: escapes.join(' '),
  properties: entries((name) => ({ description: name, enum: [name, ...escapes, 1, null, -0, 1e21, true] })),
  required: names,
};
const itself = { $ref: '#' };
const recursive: readonly object[] = [
  { anyOf: [itself, { properties: { next: itself } }] },
  {
    allOf: [
      { properties: { a: itself } },
      { anyOf: [itself, { properties: { b: { type: 'array', items: itself } } }] },
    ],
  },
  { properties: { a: { anyOf: [{ type: 'string' }, itself, { allOf: [itself, { properties: { c: itself } }] }] } } },
  { properties: { t: { type: 'array', prefixItems: [itself, itself], items: itself } } },
  { type: ['object', 'array', 'null'], items: itself, additionalProperties: itself },
  {
    $ref: '#/$defs/a',
    $defs: {
      a: { anyOf: [{ properties: { p: { $ref: '#/$defs/s' } } }, { $ref: '#/$defs/s' }] },
      s: { anyOf: [{ $ref: '#/$defs/a' }, { properties: { q: { $ref: '#/$defs/s' } } }] },
    },
  },
];

const servers: Readonly<Record<string, SourceServer>> = {
  names: {
    name: '*/ PWNED',
    entry: { command: '"; PWNED()' },
    tools: names.map((name) => tool(name, { description: name })),
  },
  properties: {
    name: '__proto__',
    entry: undefined,
    tools: [tool('everything', { inputSchema: everywhere, outputSchema: everywhere, description: escapes.join('\n') })],
  },
  schemas: {
    name: '1',
    entry: undefined,
    tools: Object.entries(nastySchemas).map(([name, schema]) =>
      tool(name, { inputSchema: schema as object, outputSchema: schema as object }),
    ),
  },
  recursive: {
    name: 'recursive',
    entry: undefined,
    tools: recursive.map((schema, at) => tool(`r${at}`, { inputSchema: schema, outputSchema: schema })),
  },
  random: {
    name: 'random',
    entry: undefined,
    tools: fc
      .sample(anySchema, { numRuns: process.env['PLUGBOARD_FULL'] === undefined ? 200 : 5_000, seed: 1 })
      .map((schema, at) => tool(`r${at}`, { inputSchema: schema as object, outputSchema: schema as object })),
  },
  real: {
    name: 'Host',
    entry: undefined,
    tools: realDefinitions.map(({ name, description, inputSchema }) => tool(name, { description, inputSchema })),
  },
  large: {
    name: 'large',
    entry: undefined,
    tools: [
      tool('enum', {
        inputSchema: { properties: { e: { enum: Array.from({ length: 50_000 }, (_, at) => `v${at}`) } } },
      }),
      tool('unions', { inputSchema: { allOf: [wideUnion('a'), wideUnion('b'), wideUnion('c'), wideUnion('d')] } }),
      tool('wide', {
        inputSchema: { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, {}])) },
      }),
      tool('infinite', {
        inputSchema: JSON.parse('{"properties":{"n":{"enum":[1e999,-1e999,1e308,-0]},"c":{"const":1e999}}}'),
      }),
    ],
  },
};

function wideUnion(letter: string): object {
  return { anyOf: Array.from({ length: 60 }, (_, at) => ({ properties: { [`${letter}${at}`]: { type: 'string' } } })) };
}

test('what a hostile server says is text in the sources, and the sources compile', () => {
  const project = makeProject();
  for (const [name, server] of Object.entries(servers)) {
    for (const [file, source] of [
      [`${name}.ts`, clientSource(server)],
      [`${name}.mjs`, programSource(server)],
    ] as const) {
      writeFileSync(join(project, file), source);
      const { errors, words, comments } = shapeOf(file, source);
      expect([file, errors]).toEqual([file, []]);
      expect([file, [...words].filter((word) => !/^[A-Za-z_$][\w$]*$/u.test(word) || word.includes('PWNED'))]).toEqual([
        file,
        [],
      ]);
      expect([file, /[\u2028\u2029\u202e\u2066\u200b\0]/u.exec(source)?.[0]]).toEqual([file, undefined]);
      // A directive is one only at the beginning of a comment's line.
      expect(comments.filter((text) => /^[\s*/]*@(?:ts-(?!check)|deprecated|type \{PWNED)/mu.test(text))).toEqual([]);
    }
  }
  expect(compile(project)).toBe('');
});

test('the statements of a source follow from the number of tools alone', () => {
  const plain = servers['names']!.tools.map((_, at) => tool(`tool${at}`));
  const hostile = shapeOf('x.ts', clientSource(servers['names']!));
  expect(hostile.statements).toEqual(shapeOf('x.ts', clientSource({ ...servers['names']!, tools: plain })).statements);
  const program = shapeOf('x.mjs', programSource(servers['names']!));
  expect(program.statements).toEqual(
    shapeOf('x.mjs', programSource({ ...servers['names']!, tools: plain })).statements,
  );
});

test('tools whose names look alike have functions and commands of their own, and an exact name keeps its own', () => {
  const twins = ['a_b', 'a-b', 'aB', 'A B', 'a\u200Bb', 'then', 'constructor'].map((name) => tool(name));
  const client = clientSource({ name: 'x', entry: undefined, tools: twins });
  const members = [...client.matchAll(/^ {4}(\w+): (?:async )?\(input/gmu)].map(([, name]) => name);
  expect(members).toEqual(['aB2', 'aB3', 'aB', 'aB4', 'aB5', 'then2', 'constructor2']);
  const program = programSource({ name: 'x', entry: undefined, tools: twins });
  expect([...program.matchAll(/^ {4}command: "(.*)",$/gmu)].map(([, name]) => name)).toEqual([
    'a-b-2',
    'a-b',
    'a-b-3',
    'a-b-4',
    'a-b-5',
    'then',
    'constructor',
  ]);
});

test('a type that refers to itself has a name', () => {
  const node = {
    properties: { value: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
    required: ['value'],
  };
  const tools = [tool('grow', { inputSchema: { properties: { tree: { $ref: '#/$defs/node' } }, $defs: { node } } })];
  expect(clientSource({ name: 'x', entry: undefined, tools })).toContain(
    [
      'export interface GrowInputNode {',
      '  value: string;',
      '  children?: GrowInputNode[];',
      '}',
      '',
      'export interface GrowInput {',
      '  tree?: GrowInputNode;',
      '}',
    ].join('\n'),
  );
});

test('a source parses whatever the schema is', () => {
  fc.assert(
    fc.property(anySchema, fc.string({ unit: anyCharacter }), (schema, text) => {
      const tools = [tool(text, { inputSchema: schema as object, outputSchema: schema as object, description: text })];
      const server = { name: text, entry: undefined, tools };
      expect(shapeOf('x.ts', clientSource(server)).errors).toEqual([]);
      expect(shapeOf('x.mjs', programSource(server)).errors).toEqual([]);
    }),
    { numRuns: process.env['PLUGBOARD_FULL'] === undefined ? 100 : 5_000 },
  );
});
