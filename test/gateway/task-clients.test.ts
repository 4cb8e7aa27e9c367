import { resolve } from 'node:path';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { createApplicationInputHandler, createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { openGateway } from '../../src/gateway/serve/open-gateway.js';
import { openScene } from '../host/scene.js';
import { suiteUpstream } from './start-gateway.js';

// Clients that nobody here wrote follow tasks of servers of either era.

const everything = resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const clientInfo = { name: 'foreign', version: '1' };

/** The URL of a gateway before a server. */
async function gatewayTo(args: readonly string[]): Promise<URL> {
  const scene = openScene();
  onTestFinished(() => scene[Symbol.asyncDispose]());
  scene.configure(
    { up: { type: 'stdio', command: process.execPath, args } },
    { permissions: { defaultMode: 'bypassPermissions' } },
  );
  const { host } = await scene.open({ serves: true });
  await host.settled();
  const gateway = await openGateway({ host });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const listening = await gateway.listen({ key: 'none' });
  onTestFinished(() => listening[Symbol.asyncDispose]());
  return new URL(`${listening.url}/up`);
}

test('the client of SDK 1 follows a task of server-everything, and is asked its question', async () => {
  const client = new OldClient(clientInfo, { capabilities: { elicitation: {} } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { interpretation: 'technical' } };
  });
  const told: { readonly taskId: string; readonly status: string }[] = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void told.push(params));
  await client.connect(new OldHttp(await gatewayTo([everything, 'stdio'])));
  onTestFinished(() => client.close());
  await client.listTools();
  const kinds: string[] = [];
  const statuses = new Set<string>();
  let result: unknown;
  let taskId: string | undefined;
  const call = { name: 'simulate-research-query', arguments: { topic: 'python', ambiguous: true } };
  for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema)) {
    if (kinds.at(-1) !== message.type) kinds.push(message.type);
    if (message.type === 'taskCreated') ({ taskId } = message.task);
    if (message.type === 'taskStatus') statuses.add(message.task.status);
    if (message.type === 'result') ({ result } = message);
    if (message.type === 'error') throw message.error;
  }
  expect(kinds).toEqual(['taskCreated', 'taskStatus', 'result']);
  expect([...statuses]).toContain('working');
  // What the server says of it by itself has the id that the client knows.
  await expect.poll(() => told.map(({ status }) => status)).toContain('input_required');
  expect(new Set(told.map((one) => one.taskId))).toEqual(new Set([taskId]));
  expect(asked).toEqual([expect.stringContaining('"python"')]);
  expect(JSON.stringify(result)).toContain('Research Report: python (technical');
});

const servers = [
  ['server-everything', [everything, 'stdio'], 'simulate-research-query', { topic: 'python', ambiguous: true }],
  ['a legacy server', [...suiteUpstream('legacy'), '--stdio'], 'confirm_delete', { filename: 'a.txt' }],
  ['a modern server', [...suiteUpstream('modern'), '--stdio'], 'confirm_delete', { filename: 'a.txt' }],
] as const;

test.each(servers)('the modern client of ext-tasks follows a task of %s, and answers its question', async (...row) => {
  const [, args, tool, input] = row;
  const url = await gatewayTo(args);
  const clientCapabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const client = new NewClient(clientInfo, {
    capabilities: clientCapabilities,
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  await client.connect(new NewHttp(url));
  onTestFinished(() => client.close());
  const asked: unknown[] = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: 'gateway',
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities },
    rawDispatch: async (request) => (await post(url, request as never)) as never,
    onInputRequest: createApplicationInputHandler({
      elicitation: (request) => {
        asked.push(request);
        return { action: 'accept', content: { confirm: true, interpretation: 'technical' } };
      },
      sampling: () => Promise.reject(new Error('Nobody samples')),
      roots: () => ({ roots: [] }),
    }),
  });
  onTestFinished(() => session.close());
  const execution = await session.callTool(tool, input);
  const { outcome } = await execution.settle();
  expect(JSON.stringify(outcome)).toMatch(/a\.txt is deleted|Research Report: python \(technical/u);
  expect(asked).toHaveLength(1);
});

/** Sends one request of 2026-07-28, as the SDK's own transport would. */
async function post(url: URL, request: { method: string; params: Record<string, unknown> }): Promise<unknown> {
  const { method, params } = request;
  const name = params['taskId'] ?? params['name'];
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...(typeof name === 'string' && { 'Mcp-Name': name }),
    },
  });
  const text = await response.text();
  const last = text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: ') + 6);
  const { result, error } = JSON.parse(last) as { result?: unknown; error?: unknown };
  return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
}
