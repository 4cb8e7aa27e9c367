import { fromJsonSchema, McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { completions, prompts, readResource, resources, templates } from './offers.mjs';
import { toolNamed, toolsOf } from './tools.mjs';

const INVALID_PARAMS = -32602;
const NOT_FOUND_LEGACY = -32002;
const loose = z.looseObject({});

/** A server for one connection, or in the modern era over HTTP for one request. */
export function buildServer(world, transport) {
  const { era, tasks, skills } = world;
  const product = new McpServer(
    { name: 'upstream', title: 'Upstream of the suite', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
        ...(era === 'legacy' && { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
        extensions: { ...skills.capability, ...(era === 'modern' && tasks.capability) },
      },
      instructions: 'Call what the suite calls.',
      cacheHints: { 'tools/list': FRESH, 'prompts/list': FRESH, 'resources/list': FRESH, 'resources/read': FRESH },
      requestState: { verify: world.states.verify },
    },
  );
  // The SDK compares headers with arguments only for tools that it has in its own register.
  const mirrored = toolNamed(world, 'test_x_mcp_header');
  product.registerTool(mirrored.name, { inputSchema: fromJsonSchema(mirrored.inputSchema) }, mirrored.run);
  const { server } = product;
  const turn = (context) => ({ world, server, transport, context, declared: declaredIn(world, server, context) });
  const on = (method, handler) => server.setRequestHandler(method, { params: loose }, handler);

  server.setRequestHandler('tools/list', () => ({ tools: toolsOf(world) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = toolNamed(world, params.name);
    if (tool === undefined) throw new ProtocolError(INVALID_PARAMS, `Tool ${params.name} not found`);
    return tool.run(params.arguments ?? {}, turn(context), params);
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts(world).map(({ get: _get, ...definition }) => definition),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const prompt = prompts(world).find(({ name }) => name === params.name);
    if (prompt === undefined) throw new ProtocolError(INVALID_PARAMS, `Prompt ${params.name} not found`);
    return prompt.get(params.arguments ?? {}, turn(context));
  });
  server.setRequestHandler('resources/list', () => ({ resources: [...resources(world), ...skills.resources] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templates }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const contents = readResource(world, uri) ?? skills.read(uri);
    if (contents !== undefined) return { contents: [contents] };
    const code = era === 'modern' ? INVALID_PARAMS : NOT_FOUND_LEGACY;
    throw new ProtocolError(code, `Resource ${uri} not found`, { uri });
  });
  server.setRequestHandler('completion/complete', ({ params }) => completions(params));
  for (const [method, handler] of Object.entries(skills.handlers)) on(method, handler);
  for (const [method, handler] of Object.entries(tasks.handlers))
    on(method, (params, context) => handler(params, turn(context)));
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  if (world.notify === undefined) {
    world.servers.add(server);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- not an EventTarget
    server.onclose = () => world.servers.delete(server);
  }
  return product;
}

const FRESH = { ttlMs: 60_000, cacheScope: 'public' };

/** The capabilities of whoever made the request: in its envelope, or as said at the beginning. */
function declaredIn(world, server, context) {
  if (world.era === 'legacy') return server.getClientCapabilities() ?? {};
  return context.mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
}
