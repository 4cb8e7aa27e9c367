import { listPage } from './tools.js';

const tool = (name: string, changes: object = {}): object => ({ name, inputSchema: { type: 'object' }, ...changes });

/** A tool with an argument that is mirrored into a header (`x-mcp-header`). */
function marked(name: string, type: string, header: unknown, around: (schema: object) => object = inArguments): object {
  return tool(name, { inputSchema: { type: 'object', ...around({ type, 'x-mcp-header': header }) } });
}

function inArguments(schema: object): object {
  return { properties: { city: schema } };
}

function inItems(schema: object): object {
  return { properties: { cities: { type: 'array', items: schema } } };
}

/** Results of `tools/list`. */
export const toolLists = {
  pages: listPage,
  /** Every page names itself as the next page. */
  circle: () => ({ tools: [tool('one')], nextCursor: 'again' }),
  /** The cursor of the second page is an empty string. */
  'empty cursor': (cursor) =>
    cursor === undefined ? { tools: [tool('one')], nextCursor: '' } : { tools: [tool('two')] },
  'one bad': () => ({ tools: [tool('one'), tool('two', { inputSchema: 'none' }), tool('three')] }),
  twice: () => ({ tools: [tool('one', { description: 'the first' }), tool('one', { description: 'the second' })] }),
  missing: () => ({}),
  empty: () => ({ tools: [] }),
  /** Only the first tool has a valid `x-mcp-header`. */
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
  /** Only a call may require input, not a list. */
  question: () => ({ resultType: 'input_required', inputRequests: { roots: { method: 'roots/list' } } }),
} as const satisfies Record<string, (cursor: unknown) => object>;

export type ToolListName = keyof typeof toolLists;
