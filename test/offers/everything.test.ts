import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from '../../src/connection/requests/call-tool.js';
import { resourceServers } from '../../src/host/host-resources.js';
import { templateVariables } from '../../src/model/urls/uri-template.js';
import { packageFile } from '../real-servers/real-server.js';
import { type OfferScene, openOffers } from './scene.js';

const config = {
  command: process.execPath,
  args: [packageFile('@modelcontextprotocol/server-everything'), 'stdio'],
};
const server = 'every';
let scene: OfferScene;
beforeAll(async () => void (scene = await openOffers({ [server]: config })), 30_000);
afterAll(() => scene[Symbol.asyncDispose]());

test('its resources and templates are listed, each with its server', async () => {
  const listed = await scene.host.resources({ server });
  expect(listed).toMatchObject({ ok: true, notes: [] });
  if (!listed.ok) return;
  expect(listed.resources.find(({ uri }) => uri === 'demo://resource/static/document/startup.md')).toMatchObject({
    server,
    name: 'startup.md',
    mimeType: 'text/markdown',
  });
  expect(listed.templates.map(({ uriTemplate }) => uriTemplate)).toContain('demo://resource/dynamic/text/{resourceId}');
  expect(resourceServers([scene.server(server)])).toEqual([server]);
});

test('a template is filled in with what the server suggests, and read', async () => {
  const template = 'demo://resource/dynamic/text/{resourceId}';
  const [blank = ''] = templateVariables(template);
  const ref = { type: 'ref/resource', uri: template } as const;
  const suggested = await scene.host.complete({ server, ref, argument: { name: blank, value: '7' } });
  expect(suggested).toMatchObject({ ok: true, values: ['7'] });
  const uri = 'demo://resource/dynamic/text/7';
  const read = await scene.host.readResource({ server, uri: template, values: { [blank]: '7' } });
  expect(read).toMatchObject({ ok: true, contents: [{ uri, text: expect.stringContaining('Resource 7') as string }] });
});

test('what an argument of a prompt could be depends on what was chosen before', async () => {
  const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
  const argument = { name: 'name', value: '' };
  const sales = await scene.host.complete({ server, ref, argument, context: { department: 'Sales' } });
  const support = await scene.host.complete({ server, ref, argument, context: { department: 'Support' } });
  expect(sales).toMatchObject({ ok: true, values: ['David', 'Eve', 'Frank'] });
  expect(support).not.toEqual(sales);
});

test('one that it does not have is told, with the one that was meant', async () => {
  const read = await scene.host.readResource({ server, uri: 'demo://resource/static/document/startup.m' });
  expect(read).toMatchObject({
    ok: false,
    error: { code: 'unknown-resource', hint: 'Did you mean demo://resource/static/document/startup.md?' },
  });
});

test('its prompts are commands', async () => {
  const listed = await scene.host.prompts();
  expect(listed).toMatchObject({ ok: true });
  const answer = await scene.host.runPrompt('/mcp__every__args-prompt "New York" NY');
  expect(answer).toMatchObject({
    ok: true,
    messages: [{ role: 'user', content: { type: 'text', text: "What's weather in New York, NY?" } }],
  });
  expect(await scene.host.runPrompt('/mcp__every__args-prompt')).toMatchObject({
    ok: false,
    error: { code: 'bad-input', hint: 'Write city=...' },
  });
  const embedded = await scene.host.runPrompt('/mcp__every__resource-prompt Text 3');
  expect(embedded).toMatchObject({ ok: true, messages: [{}, { role: 'user', content: { type: 'resource' } }] });
});

test('a change of a resource that is watched is told', async () => {
  const { host } = scene;
  const uri = 'demo://resource/dynamic/text/1';
  const received: { uri: string; server: string }[] = [];
  const told = new Promise<void>((resolve) => {
    void host
      .watchResource({ server, uri }, (change) => {
        received.push(change);
        resolve();
      })
      .then((watch) => expect(watch.ok).toBe(true))
      .then(() => callTool(scene.server(server).connection!, { tool: 'toggle-subscriber-updates', input: {} }));
  });
  await told;
  expect(received[0]).toEqual({ server, uri });
  await callTool(scene.server(server).connection!, { tool: 'toggle-subscriber-updates', input: {} });
});
