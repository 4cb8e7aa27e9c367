// What commands say of a server whose list of tools is too long to be read to its end.
import { expect, test } from 'vitest';
import { makeSandbox, USER_FILE } from './sandbox.js';

/** The entry of a server that lists the tools of this expression. */
function serverWith(tools: string): object {
  const script = `
    const tools = ${tools};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const { protocolVersion } = params ?? {};
      const start = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'listed', version: '1' } };
      const result = method === 'initialize' ? start : { tools };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });`;
  return { command: process.execPath, args: ['-e', script] };
}

test('a list with too many tools is told by list, get, doctor, tools, and by a call of a tool that was left out', async () => {
  const many = serverWith("Array.from({ length: 10_500 }, (_, at) => ({ name: 'tool_' + at, inputSchema: {} }))");
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { many } } });
  const reason = 'it lists more than 10,000 tools; those after the first 10,000 are left out';
  const setAside = [{ server: 'many', tool: '', reason, unread: true }];
  const hint = 'Ask its author for fewer or shorter tools; those that were read work';

  const listed = await sandbox.run(['list', '--json']);
  expect(listed.json).toMatchObject({ ok: true, data: { servers: [{ name: 'many', tools: 10_000 }], setAside } });
  expect((await sandbox.run(['get', 'many', '--json'])).json).toMatchObject({ ok: true, data: { setAside } });
  expect((await sandbox.run(['tools', 'many', '--json'])).json).toMatchObject({ ok: true, data: { setAside } });
  expect((await sandbox.run(['doctor', '--json'])).json).toMatchObject({
    data: { findings: [{ server: 'many', severity: 'warning', code: 'answer-too-large', hint }] },
  });

  const told = `warning: "many": ${reason}\n  → ${hint}\n`;
  expect((await sandbox.run(['list'])).stdout).toContain(`\n\n${told}`);
  expect((await sandbox.run(['tools', 'many'])).stderr).toBe(told);
  expect((await sandbox.run(['get', 'many'])).stdout).toContain(`\n  Warning: ${reason}\n`);

  const called = await sandbox.run(['call', 'many.tool_10400']);
  expect([called.code, called.stderr]).toEqual([
    1,
    `error: Server "many" has no tool "tool_10400" that was read: ${reason}
  → The tool may be one of those left out; see the others: plugboard tools many
`,
  ]);
}, 60_000);

test('a tool with a broken definition is in the JSON of list and get, and a line of get', async () => {
  const one = serverWith("[{ name: 'fine', inputSchema: { type: 'object' } }, { name: 'odd', inputSchema: 7 }]");
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { one } } });
  const setAside = [{ server: 'one', tool: 'odd', reason: 'its inputSchema is no object' }];
  expect((await sandbox.run(['list', '--json'])).json).toMatchObject({ data: { problems: [], setAside } });
  expect((await sandbox.run(['get', 'one', '--json'])).json).toMatchObject({ data: { setAside } });
  expect((await sandbox.run(['get', 'one'])).stdout).toContain(
    '\n  Warning: tool "odd" is set aside: its inputSchema is no object\n',
  );
});
