import { listPage } from './tools.js';

const tool = (name: string, changes: object = {}): object => ({ name, inputSchema: { type: 'object' }, ...changes });

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
} as const satisfies Record<string, (cursor: unknown) => object>;
