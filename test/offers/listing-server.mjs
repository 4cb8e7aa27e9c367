// A server that only lists: LISTS holds its lists, ERA its era.
import { createInterface } from 'node:readline';

const { tools, prompts, resources, templates } = JSON.parse(process.env.LISTS);
const isModern = process.env.ERA === 'modern';
const facts = {
  serverInfo: { name: 'listing', version: '1' },
  capabilities: { tools: {}, prompts: {}, resources: {} },
};
const answers = {
  'tools/list': { tools },
  'prompts/list': { prompts },
  'resources/list': { resources },
  'resources/templates/list': { resourceTemplates: templates },
  ...(isModern
    ? { 'server/discover': { supportedVersions: ['2026-07-28'], ...facts } }
    : { initialize: { protocolVersion: '2025-11-25', ...facts } }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const found = answers[method];
  const result = found && { ...found, ...(isModern && { resultType: 'complete' }) };
  const said = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`);
}
