import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { listTools, type ServerToolDefinition } from '../../src/connection/catalog/tool-definition.js';
import { checkTool } from './check-tool.js';
import { everything } from './everything.js';
import { filesystem } from './filesystem.js';
import { memory } from './memory.js';
import { HOST_SECRET, type OpenedServer, openRealServer } from './open-real-server.js';
import { sequentialThinking } from './sequential-thinking.js';

const servers = [...everything, filesystem, memory, sequentialThinking];

// Concurrent, because the research tool of one server takes long.
describe.concurrent.each(servers.map((server) => [server.title, server] as const))('%s', (_, server) => {
  let opened: OpenedServer;
  let tools: ReadonlyMap<string, ServerToolDefinition>;

  beforeAll(async () => {
    opened = await openRealServer(server);
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  test.sequential('speaks the newest version of its era and lists every tool that is called here', async () => {
    const list = await listTools(opened.connection);
    tools = new Map(list.tools.map((tool) => [tool.name, tool]));
    expect(opened.connection.session.version).toBe('2025-11-25');
    expect([...tools.keys()].toSorted()).toEqual(Object.keys(server.tools).toSorted());
    expect([list.setAside, list.warnings]).toEqual([[], []]);
  });

  test.sequential.each(Object.entries(server.tools))('%s answers', async (name, toolCase) => {
    await checkTool(opened, tools.get(name)!, toolCase);
  });

  test.sequential('leaves no process behind', async () => {
    expect(await opened.close()).toEqual([]);
    expect(await opened.connection.closed).toMatchObject({ kind: 'disposed' });
    expect(opened.connection.peer.stats).toMatchObject({ dropped: 0, malformed: 0, unanswered: 0 });
  });
});

test.concurrent('a server gets no variable of the host that it was not given', async () => {
  await using opened = await openRealServer(everything[0]!);
  const answer = await callTool(opened.connection, { tool: 'get-env', input: {} });
  expect(JSON.stringify(answer)).toContain('PLUGBOARD_TEST_MARK');
  expect(JSON.stringify(answer)).not.toContain(HOST_SECRET);
});
