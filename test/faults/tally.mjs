// Shared by the servers of the load tests: they count the calls they run, as evidence independent of the host.

const schema = { type: 'object', properties: { key: { type: 'number' }, ms: { type: 'number' } } };
const tools = [
  { name: 'read', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'append', inputSchema: schema },
  { name: 'flood', inputSchema: { type: 'object', properties: { lines: { type: 'number' } } } },
  { name: 'tally', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

/** The responses of one server. `flood` sends that many notifications and resolves when they are written. */
export function openTally({ flood = async () => {} } = {}) {
  const seen = new Set();
  let twice = 0;
  const call = async ({ name, arguments: { key, ms, lines } = {} }) => {
    if (name === 'tally') return text(JSON.stringify({ ran: seen.size, twice }));
    if (name === 'flood') {
      const began = performance.now();
      await flood(lines);
      return text(Math.round(performance.now() - began));
    }
    if (name === 'append') {
      if (seen.has(key)) twice++;
      seen.add(key);
    }
    if (ms) await new Promise((done) => setTimeout(done, ms));
    return text(key);
  };
  const answers = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'tally', version: '1' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools }),
    'tools/call': call,
  };
  return async ({ id, method, params }) => {
    const answer = answers[method];
    if (!answer) return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    return { jsonrpc: '2.0', id, result: await answer(params) };
  };
}
