import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameJson } from '../text/same-json.js';
import { sha256Hex } from '../text/sha256.js';
import type { ToolDefinition } from '../tool.js';
import { type PinnablePrompt, toPin, toPinnedInstructions, toPinnedPrompt, toPinnedTool } from './pinned-text.js';

const tool: ToolDefinition = {
  name: 'add',
  title: 'Add',
  description: 'Adds',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: {} }, required: ['a', 'b'] },
  outputSchema: { type: 'object' },
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
  meta: { searchHint: undefined, maxResultChars: undefined },
};
const prompt: PinnablePrompt = {
  name: 'sum-up',
  title: undefined,
  description: 'what happened',
  arguments: [{ name: 'day', title: undefined, description: '', required: false }],
};
const toolPin = (value: ToolDefinition): string => toPin(toPinnedTool(value), sha256Hex);
const promptPin = (value: PinnablePrompt): string => toPin(toPinnedPrompt(value), sha256Hex);

test.each<[string, Partial<ToolDefinition>]>([
  ['another name', { name: 'Add' }],
  ['another title', { title: 'add' }],
  ['no title', { title: undefined }],
  ['another description', { description: 'Adds ' }],
  ['an argument more', { inputSchema: { ...tool.inputSchema, properties: { a: {}, b: {}, c: {} } } }],
  ['a description deep in its schema', { inputSchema: { type: 'object', properties: { a: { description: 'x' } } } }],
  ['another order of a list', { inputSchema: { ...tool.inputSchema, required: ['b', 'a'] } }],
  ['no output schema', { outputSchema: undefined }],
  ['another output schema', { outputSchema: { type: 'object', title: 'x' } }],
  ['a hint that flips to read-only', { hints: { ...tool.hints, readOnly: true } }],
  ['a hint that it destroys nothing', { hints: { ...tool.hints, destructive: false } }],
  ['a hint that it may be repeated', { hints: { ...tool.hints, idempotent: true } }],
  ['a hint that it stays inside', { hints: { ...tool.hints, openWorld: false } }],
  ['a mark that it destroys', { marks: { ...tool.marks, saysDestructive: true } }],
  ['a mark to be always shown', { marks: { ...tool.marks, alwaysLoad: true } }],
  ['a mark that it needs a person', { marks: { ...tool.marks, needsUser: true } }],
  ['a mark that hides it', { marks: { ...tool.marks, isHidden: true } }],
  ['other words to be found by', { meta: { ...tool.meta, searchHint: 'sum' } }],
  ['another size of its results', { meta: { ...tool.meta, maxResultChars: 1 } }],
])('a tool with %s has another pin', (_, change) => {
  expect(toolPin({ ...tool, ...change })).not.toBe(toolPin(tool));
});

test.each<[string, Partial<PinnablePrompt>]>([
  ['another name', { name: 'sum' }],
  ['a title', { title: 'Sum' }],
  ['another description', { description: '' }],
  ['no arguments', { arguments: [] }],
  ['an argument that is needed', { arguments: [{ ...prompt.arguments[0]!, required: true }] }],
  ['an argument that says something', { arguments: [{ ...prompt.arguments[0]!, description: 'x' }] }],
])('a prompt with %s has another pin', (_, change) => {
  expect(promptPin({ ...prompt, ...change })).not.toBe(promptPin(prompt));
});

test('a prompt, a tool and a text of the same words have different pins', () => {
  const plain: ToolDefinition = { ...tool, title: undefined, inputSchema: {}, outputSchema: undefined };
  const pins = [
    toolPin(plain),
    promptPin({ name: 'add', title: undefined, description: 'Adds', arguments: [] }),
    toPin(toPinnedInstructions('Adds'), sha256Hex),
  ];
  expect(new Set(pins).size).toBe(3);
});

test('a pin is the same on every machine and in every version: it is in files that people commit', () => {
  expect([toolPin(tool), promptPin(prompt), toPin(toPinnedInstructions('Write it down.'), sha256Hex)]).toEqual([
    'sha256-947e4b3a51ca143b04b7a6d9cd10db4308efaf60bf630b3edb9df3940a5374c4',
    'sha256-36ff311870f480e843a68be09d0a24dff9fe9b493778d1f9405cbebbed37112f',
    'sha256-ddaff681cbb0863799d4db8c37fdbc70e34f0153b5743cc230ce3d6100744df6',
  ]);
});

test('a server that shuffles the fields of its schemas has changed nothing', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.infiniteStream(fc.nat()), (schema, chances) => {
      const shuffled = shuffle(schema, chances) as ToolDefinition['inputSchema'];
      expect(toolPin({ ...tool, inputSchema: shuffled })).toBe(toolPin({ ...tool, inputSchema: schema }));
    }),
    { numRuns: 100 },
  );
});

test('two schemas have the same pin only if they say the same', () => {
  const schema = fc.dictionary(fc.string({ maxLength: 2 }), fc.jsonValue({ maxDepth: 2 }));
  fc.assert(
    fc.property(schema, schema, (one, other) => {
      const isSame = toolPin({ ...tool, inputSchema: one }) === toolPin({ ...tool, inputSchema: other });
      expect(isSame).toBe(isSameJson(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))));
    }),
    { numRuns: 200 },
  );
});

function shuffle(value: unknown, chances: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map((element) => shuffle(element, chances));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => {
    return { chance: Number(chances.next().value), field: [key, shuffle(inner, chances)] as const };
  });
  return Object.fromEntries(fields.toSorted((a, b) => a.chance - b.chance).map(({ field }) => field));
}
