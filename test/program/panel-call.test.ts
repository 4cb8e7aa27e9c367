import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { toArguments } from '../../src/actions/calls/tool-arguments.js';
import { contextCost } from '../../src/actions/running-server.js';
import { FullScene } from '../../src/cli/panel/panel-fixtures.js';
import { openPanel } from '../../src/cli/panel/panel.js';
import { costLines } from '../../src/cli/panel/tokens/cost-lines.js';
import { DialogQueue } from '../../src/cli/session/asking.js';
import { loadHostConfig } from '../../src/config/load.js';
import { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { makeSandbox, NOW, USER_FILE } from './sandbox.js';

/** The keys that type a text. */
function letters(text: string): string[] {
  return text.split('');
}

function readText(): Promise<string> {
  return Promise.reject(new Error('no file is meant'));
}

interface Opened {
  readonly scene: FullScene;
  readonly host: Host;
  /** Opens the form of a tool. */
  readonly form: (tool: string) => Promise<void>;
  /** The methods that the server was sent. */
  readonly journal: () => string;
}

/** `model`: what the panel counts for; an Anthropic model unless given. */
async function open(model?: Parameters<typeof contextCost>[1]): Promise<Opened> {
  const sandbox = makeSandbox();
  const journal = join(sandbox.root, 'journal');
  const notes = { command: 'node', args: [join(import.meta.dirname, 'called-server.mjs')], env: { JOURNAL: journal } };
  sandbox.write(USER_FILE, { mcpServers: { notes } });
  const loaded = await loadHostConfig({
    cwd: sandbox.project,
    env: { HOME: sandbox.home, PATH: process.env['PATH'] },
    managedDirectories: [sandbox.managed],
  });
  const asking = new DialogQueue({ onChange: () => {} });
  const scene = new FullScene(80, 40);
  const host = Host[inside](loaded, {
    ...loaded.context.options,
    socket: false,
    ports: {
      // The dialog of the terminal would be drawn here, where the panel was.
      elicit: (_, signal) =>
        asking.enqueue(
          () => Promise.resolve({ action: 'accept', content: { which: scene.isOpen ? 'panel' : 'dialog' } } as const),
          signal,
        ),
    },
  });
  const left = asking.enqueueFull((lend) =>
    openPanel({
      screen: scene.screen,
      host,
      io: { now: () => NOW },
      actions: { signIn: async () => {} },
      lend,
      cost: () => contextCost(host, model),
    }),
  );
  onTestFinished(async () => {
    for (let presses = 0; presses < 8; presses++) scene.press('escape');
    await left;
    await host.close();
  });
  await scene.until('1 connected');
  scene.press('return');
  await scene.until('Tools (6)');
  return {
    scene,
    host,
    journal: () => readFileSync(journal, 'utf8'),
    async form(tool) {
      scene.press('/', ...letters(tool));
      await scene.until('Tools (1 of 6)');
      scene.press('return', 'down', 'c');
      await scene.until(`[ Call notes.${tool} ]`);
    },
  };
}

test('a tool is called with a form made of its schema, and the result and the command for it are there', async () => {
  const { scene, form } = await open();
  await form('add');
  scene.press('ctrl-r');
  expect(await scene.until('Not yet: This argument is required.')).toContain('One of the arguments is not right yet');
  scene.press(...letters("it's_$(x)!"), 'tab', 'right', 'tab', ...letters('["a"]'));
  scene.press('ctrl-r');
  const shown = await scene.until('Result of', '| got {');
  expect(shown).toContain('{"title":"it\'s_$(x)!","kind":"bug","tags":["a"]}');
  expect(shown).toMatch(/^\d+ ms$/mu);
  scene.press('y');
  await scene.until('Copied, if your terminal lets programs do that:');
  expect(scene.copied).toBe(`plugboard call notes.add title='it'\\''s_$(x)!' kind=bug tags:='["a"]'`);
  expect(scene.text).toContain(`plugboard call notes.add title='it'\\''s_$(x)!' kind=bug`);
});

test('a call that does not fit is refused before anything is sent, and f sends it as it is', async () => {
  const { scene, form, journal } = await open();
  await form('pair');
  scene.press('a', 'ctrl-r');
  const refused = await scene.until('error: pair does not take these arguments: to: missing');
  expect(refused).toContain('  → pair(from?: string, to?: string)');
  expect(refused).toContain('  To send them as they are: f');
  expect(refused).not.toContain('--force');
  expect(journal()).not.toContain('tools/call');
  scene.press('f');
  await scene.until('| sent {"from":"a"}');
  expect(journal().match(/tools\/call/gu)).toHaveLength(1);
  // A call that was made is not sent a second time by the same key.
  scene.press('f');
  scene.press('?');
  expect(await scene.until('Help: the result of a call')).toContain('send a call that does not fit as it is');
  expect(journal().match(/tools\/call/gu)).toHaveLength(1);
});

test('what a tool reports as an error is shown as that, without what a terminal would obey', async () => {
  const { scene, form } = await open();
  await form('fail');
  scene.press('return');
  const shown = await scene.until('fail reports an error:', '| no such note');
  expect(shown).not.toContain('\u001B');
  scene.press('q');
  expect(await scene.until('[ Call notes.fail ]')).toContain('This tool takes no arguments.');
});

test('a call shows its progress, and Escape stops it', async () => {
  const { scene, form } = await open();
  await form('slow');
  scene.press('return');
  const shown = await scene.until('Calling …', '25 %', '| a quarter');
  expect(shown).toContain('esc stop');
  scene.press('escape');
  expect(await scene.until('The call may have been executed')).not.toContain('Calling');
  scene.press('escape');
  await scene.until('[ Call notes.slow ]');
});

test('a server that asks during a call gets its answer, and the panel comes back', async () => {
  const { scene, form } = await open();
  await form('ask');
  scene.press('return');
  const shown = await scene.until('| answered');
  expect(shown).toContain('{"action":"accept","content":{"which":"dialog"}}');
});

test('an image is drawn on request where the terminal can, and its file is named', async () => {
  const { scene, form } = await open();
  scene.images = { encode: ({ width, height }) => Promise.resolve(`<${width}x${height}>`) };
  await form('photo');
  scene.press('return');
  expect(await scene.until('saved to', 'Press v to draw the image')).toContain('1x1');
  scene.press('v');
  await scene.until('Image 1 of the result');
  await new Promise((resolve) => setImmediate(resolve));
  expect(scene.picture).toBe('<1x1>');
  scene.press('q');
  await scene.until('Result of');
  expect(scene.picture).toBeUndefined();
  scene.images = { encode: () => Promise.resolve(undefined) };
  scene.press('v');
  await scene.until('This terminal draws no images');
});

test('every view has a help of its own, and comes back from it', async () => {
  const { scene, form } = await open();
  const check = async (key: string, help: string, after: string): Promise<void> => {
    scene.press(key);
    await scene.until(`Help: ${help}`, 'Keys');
    scene.press('q');
    await scene.until(after);
  };
  await check('?', 'a server', 'Tools (6)');
  await form('add');
  await check('f1', 'the form of a call', '[ Call');
  scene.press(...letters('what?'));
  expect(await scene.until('what?')).toContain('[ Call');
  scene.press('ctrl-r');
  await scene.until('| got');
  await check('?', 'the result of a call', '| got');
  scene.press('q', 'escape', 'escape', 'q', 't');
  await check('?', 'tokens', '(built-in tools)');
  scene.press('q', 'g');
  await check('?', 'the log of a server', 'on stderr');
  scene.press('q');
  await check('?', 'the server panel', '1 connected');
});

test('the panel and /cost count alike: what a model would be shown now', async () => {
  const { scene, host } = await open();
  scene.press('q', 't');
  const report = contextCost(host);
  const [{ loaded, tools }] = report.servers as [(typeof report.servers)[number]];
  const shown = await scene.until('(built-in tools)', ` ${loaded} `);
  expect(shown).toMatch(new RegExp(`^notes +${loaded} +0\\.\\d %`, 'mu'));
  expect(shown).toContain(`take ${report.loaded + report.system} (`);
  expect(loaded).toBe(tools.reduce((sum, { tokens }) => sum + tokens, 0));
  const rows = shown.split('\n').filter((row) => / %/u.test(row) && !row.startsWith('Context'));
  expect(rows.map((row) => row.replace(/ +\d.*$/u, ''))).toEqual(costLines(report).map(({ name }) => name));
  const preview = host.forModel('anthropic', { session: 'x' }).cost();
  expect({ ...report }).toEqual({ ...preview });
});

test('a tool has the same tokens in its own view as in the list of its server', async () => {
  const model = { profile: 'openai', contextTokens: 100_000 } as const;
  const { scene, host } = await open(model);
  const [server] = contextCost(host, model).servers;
  const { tokens } = server!.tools.find(({ name }) => name === 'mcp__notes__add')!;
  scene.press('s', 's');
  await scene.until(`${tokens} tokens`);
  scene.press('/', 'a', 'd', 'd');
  await scene.until('Tools (1 of 6)');
  scene.press('return', 'down', 'return');
  expect(await scene.until('Called: mcp__notes__add')).toContain(`Tokens: about ${tokens}\n`);
});

test('a command that was copied means the same arguments to plugboard call', async () => {
  const { scene, host, form } = await open();
  await form('add');
  scene.press(...letters('--help'), 'ctrl-o');
  await scene.until('Copied');
  const words = scene.copied.split(' ').slice(3);
  const { inputSchema = {} } = (await host.tool('mcp__notes__add')) ?? {};
  const { input } = await toArguments({ words, begun: {}, json: undefined, readText }, inputSchema);
  expect(input).toEqual({ title: '--help' });
});
