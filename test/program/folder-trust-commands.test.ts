import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { GUARD_MS, type Sandbox, USER_FILE } from './sandbox.js';
import { MARK, NODE, PROJECT, ran, scene, tool } from './trust-scene.js';

test('a headersHelper of the user runs apart, and with trust in the folder', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['x-cwd'] as string | undefined);
    response.writeHead(500).end();
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const helper = `${NODE} -p 'JSON.stringify({"X-Cwd":process.cwd()})'`;
  const sandbox = scene({ web: { url, headersHelper: helper } });
  await sandbox.run(['list', '--json', '--timeout', GUARD_MS]);
  expect(seen[0]).toContain('/plugboard/folders/app-');
  seen.length = 0;
  await sandbox.run(['list', '--json', '--timeout', GUARD_MS, '--trust-folder']);
  expect(seen[0]).toBe(sandbox.project);
});

/** A hook that runs before every call. */
function hookScene(command: string): Sandbox {
  const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] };
  const sandbox = scene({ tool }, { [`${PROJECT}/check.sh`]: `echo > "$HOME/ran"\n` });
  sandbox.write(USER_FILE, { mcpServers: { tool }, settings: { hooks } });
  return sandbox;
}

test('a hook runs apart', async () => {
  const sandbox = hookScene(`${NODE} -e '${MARK.replaceAll("'", '"')}'`);
  const { code } = await sandbox.run(['call', 'tool.echo', 'text=hi', '--json']);
  expect([code, ran(sandbox)?.includes('/plugboard/folders/app-')]).toEqual([0, true]);
});

test.each(['sh ./check.sh', 'sh "$CLAUDE_PROJECT_DIR"/check.sh', 'true; . ./check.sh'])(
  'a hook that needs the folder blocks its call, by name: %s',
  async (command) => {
    const sandbox = hookScene(command);
    const { json, code } = await sandbox.run(['call', 'tool.echo', 'text=hi', '--json']);
    expect([code, ran(sandbox)]).toEqual([5, undefined]);
    expect(json!.error!.message).toContain(`${command} (HOME/.config/plugboard/config.json`);
    expect(json!.error!.message).toContain('needs PROJECT, which is not trusted');
    expect((await sandbox.run(['call', 'tool.echo', 'text=hi', '--json', '--trust-folder'])).code).toBe(0);
  },
);

/** A hook that runs on every result. */
function resultScene(command: string): Sandbox {
  const hooks = { PostToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] };
  const sandbox = scene({ tool }, { [`${PROJECT}/strict`]: '' });
  sandbox.write(USER_FILE, { mcpServers: { tool }, settings: { hooks } });
  return sandbox;
}

test('a hook for results that needs the folder blocks the call, and no file there keeps a hook from running', async () => {
  const needy = await resultScene('sh ./redact.sh').run(['call', 'tool.echo', 'text=hi', '--json']);
  expect([needy.code, needy.json!.error!.message.includes('needs PROJECT, which is not trusted')]).toEqual([5, true]);
  const mark = resultScene(`${NODE} -e '${MARK.replaceAll("'", '"')}' strict`);
  expect((await mark.run(['call', 'tool.echo', 'text=hi', '--json'])).code).toBe(0);
  expect(ran(mark)).toContain('/plugboard/folders/app-');
});
