// A server for tests of --permission-prompt-tool: its tool decides by the text in the call's input.
import { createInterface } from 'node:readline';

const answers = {
  yes: () => ({ behavior: 'allow' }),
  change: () => ({ behavior: 'allow', updatedInput: { text: 'changed' } }),
  no: (asked) => ({ behavior: 'deny', message: `no to ${asked.tool_name} ${asked.tool_use_id}` }),
  stop: () => ({ behavior: 'deny', message: 'all of it', interrupt: true }),
  strange: () => ({ behavior: 'perhaps' }),
  wrong: () => ({ behavior: 'allow', updatedInput: 'x' }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  if (method === 'initialize') {
    const serverInfo = { name: 'approver', version: '1' };
    answer({ result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    const properties = { tool_name: { type: 'string' }, input: { type: 'object' }, tool_use_id: { type: 'string' } };
    const inputSchema = { type: 'object', properties, required: ['tool_name', 'input'], additionalProperties: false };
    answer({ result: { tools: [{ name: 'decide', inputSchema }] } });
  } else if (method === 'tools/call') {
    const asked = params.arguments;
    const said = asked.input.text;
    const text = answers[said] ? JSON.stringify(answers[said](asked)) : 'sure';
    answer({ result: { content: [{ type: 'text', text }], isError: said === 'fail' } });
  } else answer({ error: { code: -32601, message: 'Method not found' } });
});
