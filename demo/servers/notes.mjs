// A small MCP server on stdio, without any library: two tools over a list in memory.
import { createInterface } from 'node:readline';

const title = process.env.NOTES_TITLE ?? 'Notes';
const notes = ['bread', 'coffee'];

const tools = {
  list_notes: {
    description: `Lists the notes under "${title}"`,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    run: () => notes.join('\n'),
  },
  add_note: {
    description: `Adds a note under "${title}"`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { destructiveHint: false },
    run: ({ text }) => `${notes.push(String(text))} notes`,
  },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: Object.entries(tools).map(([name, tool]) => ({ name, ...tool, run: undefined })) }),
  'tools/call': ({ name, arguments: input }) => {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (!tool) return { content: [{ type: 'text', text: `There is no tool "${name}"` }], isError: true };
    return { content: [{ type: 'text', text: tool.run(input ?? {}) }] };
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = Object.hasOwn(methods, method)
    ? { result: methods[method](params ?? {}) }
    : { error: { code: -32601, message: `Unknown method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
