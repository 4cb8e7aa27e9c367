import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from '../document.js';
import { getFromText, removeFromText, setInText } from './edit-text.js';

/** A random document: its value, its text, and the number of comments in it. */
interface Sample {
  readonly value: unknown;
  readonly text: string;
  readonly comments: number;
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
const key = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c', 'mcpServers', 'env') },
  fc.string({ maxLength: 4 }),
  // Not a lone backslash: after that key V8 13.6 (Node 24) reads a key of one quote as a backslash, too.
  fc.constantFrom('__proto__', 'constructor', '', '//', '/*', '"', 'a\\b', '}', 'é🙂'),
);
const { tree } = fc.letrec<{ tree: Json; object: Json }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(1, -2.5, true, false, null, 'text', '', '// no comment', '/* nor this */', '",}'),
    tie('object'),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
  object: fc
    .uniqueArray(fc.tuple(key, tie('tree')), { maxLength: 4, selector: ([name]) => name })
    .map((fields) => Object.fromEntries(fields)),
}));
const root = fc.uniqueArray(fc.tuple(key, tree), { maxLength: 5, selector: ([name]) => name });

/** Text between two tokens, picked by number, so that a failure shrinks to no blanks and no comments. */
const fillings = [
  '',
  '',
  ' ',
  '\n',
  '\n  ',
  '\t',
  '\r\n  ',
  '/*#*/',
  ' /* #, } */ ',
  ' // #\n',
  '\n    // #, {\n  ',
  '// #\r\n',
];

function write(value: unknown, pick: () => number): { text: string; comments: number } {
  let comments = 0;
  const gap = (): string => {
    const filling = fillings[pick() % fillings.length]!;
    if (filling.includes('#')) comments++;
    return filling.replace('#', `comment ${comments}.`);
  };
  const inside = (parts: string[], [open, close]: readonly [string, string]): string => {
    const trailing = parts.length > 0 && pick() % 4 === 3 ? `${gap()},` : '';
    return `${open}${parts.map((part) => gap() + part + gap()).join(',')}${trailing}${gap()}${close}`;
  };
  const print = (node: unknown): string => {
    if (Array.isArray(node)) return inside(node.map(print), ['[', ']']);
    if (node === null || typeof node !== 'object') return JSON.stringify(node);
    const fields = Object.entries(node).map(
      ([name, child]) => `${JSON.stringify(name)}${gap()}:${gap()}${print(child)}`,
    );
    return inside(fields, ['{', '}']);
  };
  const text = gap() + print(value) + gap();
  return { text, comments };
}

const sample: fc.Arbitrary<Sample> = fc
  .tuple(root, fc.array(fc.nat(1000), { maxLength: 60 }))
  .map(([fields, picks]) => {
    const value = Object.fromEntries(fields);
    let next = 0;
    return { value, ...write(value, () => picks[next++] ?? 0) };
  });

const commentsIn = (text: string): string[] => text.match(/comment \d+\./gu) ?? [];
async function read(text: string): Promise<unknown> {
  const reading = await parseDocument(text, 'f');
  return reading.kind === 'document' ? reading.document.value : reading;
}
const fresh = fc.constantFrom('new', 'new"key', '__new__', 'n\\u0061');
const value = fc.constantFrom<unknown>(1, 'x', null, {}, [], { command: 'x', args: ['-y'], env: { A: '1' } });
const numRuns = 700;

test('a sample is what it says', async () => {
  await fc.assert(
    fc.asyncProperty(sample, async ({ text, value: said, comments }) => {
      expect(await read(text)).toEqual(said);
      expect(commentsIn(text)).toHaveLength(comments);
    }),
    { numRuns },
  );
});

test('a new server can be read back, everything else says what it said, and no comment is lost', async () => {
  await fc.assert(
    fc.asyncProperty(sample, fresh, value, async ({ text, value: said, comments }, name, added) => {
      const edited = setInText(text, [name], added);
      expect(getFromText(edited, [name])).toEqual(added);
      expect(await read(edited)).toEqual({ ...(said as object), [name]: added });
      expect(commentsIn(edited)).toHaveLength(comments);

      const restored = removeFromText(edited, [name]);
      expect(await read(restored)).toEqual(said);
      expect(commentsIn(restored)).toHaveLength(comments);
    }),
    { numRuns },
  );
});

test('a server put deep into a file that lacks the way to it can be read back and taken out again', async () => {
  await fc.assert(
    fc.asyncProperty(sample, fresh, value, async ({ text, value: said, comments }, name, added) => {
      const servers = (said as { mcpServers?: unknown }).mcpServers;
      const isObject = typeof servers === 'object' && servers !== null && !Array.isArray(servers);
      fc.pre(servers === undefined || isObject);
      const edited = setInText(text, ['mcpServers', name], added);
      expect(await read(edited)).toEqual({ ...(said as object), mcpServers: { ...servers, [name]: added } });
      expect(commentsIn(edited)).toHaveLength(comments);
      const restored = removeFromText(edited, ['mcpServers', name]);
      expect(await read(restored)).toEqual({ ...(said as object), mcpServers: { ...servers } });
    }),
    { numRuns },
  );
});

test('replacing or removing any field leaves all the others', async () => {
  await fc.assert(
    fc.asyncProperty(sample, value, fc.nat(), async ({ text, value: said }, added, index) => {
      const names = Object.keys(said as object);
      if (names.length === 0) return;
      const name = names[index % names.length]!;
      const { [name]: _, ...others } = said as Record<string, unknown>;
      const replaced = setInText(text, [name], added);
      expect(new Map(Object.entries((await read(replaced)) as object))).toEqual(
        new Map(Object.entries(said as object).map(([field, old]) => [field, field === name ? added : old])),
      );
      expect(await read(removeFromText(text, [name]))).toEqual(others);
    }),
    { numRuns },
  );
});
