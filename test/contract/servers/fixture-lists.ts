import { listPage } from './tools.js';

const tool = (name: string, changes: object = {}): object => ({ name, inputSchema: { type: 'object' }, ...changes });

/** One whose argument is marked to go into a header. */
function marked(name: string, type: string, header: unknown, around: (schema: object) => object = inArguments): object {
  return tool(name, { inputSchema: { type: 'object', ...around({ type, 'x-mcp-header': header }) } });
}

function inArguments(schema: object): object {
  return { properties: { city: schema } };
}

function inItems(schema: object): object {
  return { properties: { cities: { type: 'array', items: schema } } };
}

/** What `tools/list` may answer. */
export const toolLists = {
  pages: listPage,
  /** Every page names itself as the next one. */
  circle: () => ({ tools: [tool('one')], nextCursor: 'again' }),
  /** The cursor to the second page is a text without characters. */
  'empty cursor': (cursor) =>
    cursor === undefined ? { tools: [tool('one')], nextCursor: '' } : { tools: [tool('two')] },
  'one bad': () => ({ tools: [tool('one'), tool('two', { inputSchema: 'none' }), tool('three')] }),
  twice: () => ({ tools: [tool('one', { description: 'the first' }), tool('one', { description: 'the second' })] }),
  missing: () => ({}),
  empty: () => ({ tools: [] }),
  /** Only the first mark is one. */
  marks: () => ({
    tools: [
      marked('right', 'string', 'City'),
      marked('a number', 'number', 'City'),
      marked('a blank', 'string', 'The City'),
      marked('no name', 'string', ''),
      marked('no text', 'string', 7),
      marked('in a list', 'string', 'City', inItems),
    ],
  }),
  /** Which only calls may do. */
  question: () => ({ resultType: 'input_required', inputRequests: { roots: { method: 'roots/list' } } }),
} as const satisfies Record<string, (cursor: unknown) => object>;

export type ToolListName = keyof typeof toolLists;
