import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, onTestFinished, test } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../../src/guard/permission-question.js';
import { Host } from '../../src/host/host.js';
import type { FakeEnd } from '../../src/testing/fake-server.js';
import type { FlowScenario } from '../../src/testing/flow/flow-scenario.js';
import { flowScenarios } from '../../src/testing/flow/flow-scenarios.js';
import { flowServer } from '../../src/testing/flow/flow-server.js';
import { bundle } from '../hostile/bundle.js';
import { openScenario, playScenario } from './play-scenario.js';

function find(name: string): FlowScenario {
  return flowScenarios.find((one) => one.name === name)!;
}

/** Calls in a row, as a program with a loop of its own makes them: nothing says which conversation they are of. */
async function loop(scenario: FlowScenario, reply: PermissionAnswer) {
  const { options, received } = await openScenario(scenario);
  const questions: PermissionQuestion[] = [];
  const ask = (question: PermissionQuestion): Promise<PermissionAnswer> => {
    questions.push(question);
    return Promise.resolve(reply);
  };
  await using host = await Host.open({ ...options, ports: { ask } });
  await host.settled();
  for (const step of scenario.steps) {
    for (const one of step.kind === 'calls' ? step.calls : []) {
      if (one.kind === 'tool') await host.call({ name: `mcp__${one.server}__${one.tool}`, input: one.input });
      if (one.kind === 'resource')
        await host.call({ name: 'ReadMcpResource', input: { server: one.server, uri: one.uri } });
    }
  }
  return { questions, received: received() };
}

test.each(['note-in-a-query', 'customers-as-csv', 'token-of-a-private-issue', 'address-of-a-resource'])(
  'a program that only calls host.call is asked as well: %s',
  async (name) => {
    const { questions } = await loop(find(name), { kind: 'deny' });
    expect(questions.map(({ flow }) => flow?.kind)).toEqual(['copy']);
  },
);

test.each(['open-a-result', 'edit-where-it-was-read', 'summary-in-a-note', 'mail-to-a-customer'])(
  'a program that only calls host.call is not asked about ordinary work: %s',
  async (name) => {
    expect((await loop(find(name), { kind: 'deny' })).questions).toEqual([]);
  },
);

test('a yes sends what was asked about', async () => {
  const { questions, received } = await playScenario(find('note-in-a-query'), { kind: 'allow', remember: 'once' });
  expect(questions.length).toBe(1);
  expect(received).toContain(JSON.stringify(questions[0]!.input));
});

test('another host connects to the servers of a scenario in its own process', async () => {
  const server = flowServer(find('address-of-a-resource').servers['web']!);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  server.connect(theirs as FakeEnd);
  const client = new Client({ name: 'other', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(ours);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('fetch');
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['web://about']);
  expect(await client.readResource({ uri: 'web://elsewhere' })).toMatchObject({
    contents: [{ uri: 'web://elsewhere' }],
  });
  expect(server.reads).toEqual(['web://elsewhere']);
  await expect(client.listPrompts()).rejects.toThrow(/not support|not found/iu);
});

test('another host starts the servers of a scenario as processes', async () => {
  const { script } = await bundle(`
    import { flowScenarios } from './testing/flow/flow-scenarios.js';
    import { flowServer } from './testing/flow/flow-server.js';
    import { serveFakeServer } from './testing/serve-fake-server.js';
    const [, , name, server] = process.argv;
    const { servers } = flowScenarios.find((scenario) => scenario.name === name);
    await serveFakeServer(flowServer(servers[server]), process);
  `);
  const client = new Client({ name: 'other', version: '1' });
  onTestFinished(() => client.close());
  const args = [script, 'note-in-a-query', 'notes'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  const { content } = await client.callTool({ name: 'read_note', arguments: { name: 'board' } });
  expect(JSON.stringify(content)).toContain('Northwind');
  expect(await client.callTool({ name: 'read_note', arguments: { name: 'none' } })).toMatchObject({ isError: true });
});

test('the files of a scenario are in the folder that the host works in', async () => {
  const scenario = find('file-by-http');
  const { scene } = await openScenario(scenario);
  expect(readFileSync(join(scene.project, 'docs/roadmap.md'), 'utf8')).toBe(scenario.files!['docs/roadmap.md']);
});
