import { called, ends, listed, lists, type Shown, shown, usualTools } from '../expectation.js';
import { inTags } from './tags.js';
import { success, tool, toolList, healthyTools } from '../healthy.js';
import { type StdioMode, stdioMode } from '../mode.js';

const [echo, , report] = healthyTools;

/** Schemas that are invalid, grow without end or take for ever to check, and results that break their schema. */
export const schemas: readonly StdioMode[] = [
  declares(
    'list-schema-not-object',
    'has schemas that are a text, null, an array, or about a text',
    () =>
      ['text', null, [], 42, { type: 'string' }, undefined].map((inputSchema, index) =>
        tool(`bad-${index}`, { inputSchema }),
      ),
    { lacks: ['bad-0', 'bad-1', 'bad-2', 'bad-3', 'bad-4'] },
  ),
  declares('list-schema-recursive', 'has schemas that refer to themselves, and one that doubles twenty times', () => [
    tool('self', { inputSchema: { type: 'object', $ref: '#' } }),
    tool('ring', {
      inputSchema: { type: 'object', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    }),
    tool('doubling', { inputSchema: { type: 'object', $defs: doubling(20), $ref: '#/$defs/d0' } }),
    tool('wide', { inputSchema: { type: 'object', $defs: doubling(20), properties: { a: { $ref: '#/$defs/d0' } } } }),
  ]),
  declares(
    'list-schema-tags',
    'hides orders in the descriptions of a schema',
    () => [
      tool('hiding', {
        inputSchema: {
          type: 'object',
          description: `a${inTags('b')}\u001b[2J`,
          properties: { c: { description: `d${inTags('e')}\u202e`, title: inTags('f'), type: 'string' } },
        },
      }),
    ],
    { has: [...usualTools, 'hiding'] },
  ),
  declares('list-schema-tags-names', 'hides orders in the names and values of a schema', () => [
    tool('hiding', {
      inputSchema: { type: 'object', properties: { [`a${inTags('b')}`]: { enum: [`c${inTags('d')}`] } } },
    }),
    tool('choosing', {
      inputSchema: { type: 'object', properties: { a: { enum: [`c${inTags('d')}`], default: inTags('e') } } },
    }),
  ]),
  declares(
    'list-schema-huge',
    'has a schema of 1 MB',
    () => [tool('huge', { inputSchema: { type: 'object', properties: keys(50_000) } })],
    { lacks: ['huge'] },
  ),
  declares('list-schema-deep', 'has a schema that is 400 levels deep', () => [
    tool('deep', { inputSchema: nested(200) }),
  ]),
  stdioMode('list-schema-remote', 'has schemas that refer to another address', listed(lists(), { shown: shown() }), {
    async list({ id, say, trap }) {
      const $ref = await trap();
      const inputSchema = { type: 'object', $ref, properties: { a: { $ref } } };
      await say(toolList(id, [tool('remote', { inputSchema, outputSchema: { type: 'object', $ref, $schema: $ref } })]));
    },
  }),
  returns('list-schema-redos', 'declares a pattern that takes for ever, and sends the text for it', {
    outputSchema: { type: 'object', properties: { value: { type: 'string', pattern: '^(a+)+$' } } },
    structuredContent: { value: `${'a'.repeat(40)}!` },
  }),
  returns('list-schema-pattern-huge', 'declares patterns that are wrong, huge or unknown to linear engines', {
    outputSchema: {
      type: 'object',
      properties: {
        value: {
          allOf: ['(', '(?<=a)\\1', 'a{1,1000}{1,1000}{1,1000}', 'a?'.repeat(20_000)].map((pattern) => ({ pattern })),
        },
      },
    },
    structuredContent: { value: 'a'.repeat(20_000) },
  }),
  returns('list-schema-combinations', 'declares a schema that doubles twenty times, and sends a value for it', {
    outputSchema: { type: 'object', $defs: doubling(20), properties: { value: { $ref: '#/$defs/d0' } } },
    structuredContent: { value: 'none of them' },
  }),
  returns('content-struct-mismatch', 'sends structured content that breaks its own schema', {
    outputSchema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
    structuredContent: { value: 'many' },
    says: [/\/value/u, /number/u, /survived/u],
  }),
  returns('content-struct-missing', 'declares structured content and sends none', {
    outputSchema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
    says: [/structured/iu, /survived/u],
  }),
];

function declares(
  name: string,
  summary: string,
  more: () => readonly object[],
  { has = usualTools, lacks = [] }: { readonly has?: readonly string[]; readonly lacks?: readonly string[] } = {},
): StdioMode {
  return stdioMode(name, summary, listed(lists({ has, lacks }), { shown: shown({ offers: has, withholds: lacks }) }), {
    list: ({ id, say }) => say(toolList(id, more())),
  });
}

interface Returned {
  readonly outputSchema: object;
  readonly structuredContent?: object;
  /** What the text for a model has to match. */
  readonly says?: Shown['says'];
}

/** A host that checks the result against its schema may fail the call, others return it as it came. Neither hangs. */
function returns(name: string, summary: string, { outputSchema, structuredContent, says = [] }: Returned): StdioMode {
  return stdioMode(name, summary, called(ends(/schema|structured|pattern|valid/iu), { shown: shown({ says }) }), {
    list: ({ id, say }) => say(success(id, { tools: [echo, tool('attack', { outputSchema }), report] })),
    attack: ({ id, say }) => say(success(id, { content: [{ type: 'text', text: 'survived' }], structuredContent })),
  });
}

/** Each definition is an `anyOf` of the next one, twice: 2 to the power of `levels` paths to check. */
function doubling(levels: number): Record<string, object> {
  const definitions: Record<string, object> = { [`d${levels}`]: { type: 'number' } };
  for (let level = 0; level < levels; level++) {
    const $ref = `#/$defs/d${level + 1}`;
    definitions[`d${level}`] = { anyOf: [{ $ref }, { $ref }] };
  }
  return definitions;
}

function keys(count: number): Record<string, object> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`property${index}`, {}]));
}

function nested(levels: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { inner: schema } };
  return schema;
}
