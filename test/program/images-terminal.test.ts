import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from 'vitest';
import { itermDrawn, kittyDrawn, sixelDrawn } from './drawn-images.js';
import { untilFound } from '../hang-guard.js';
import { scripted } from './live-servers.js';
import { type PlayedTerminal, playTerminal } from './played-terminal.js';
import { copyProgram, makeSandbox, USER_FILE } from './sandbox.js';
import { buildDriver } from './terminal-scene.js';

const E = '\u001B';
const QUERY = `${E}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA${E}\\${E}[c`;
const KITTY = `${E}_Gi=31;OK${E}\\`;
const PLAIN = `${E}[?62;22c`;
const SIXEL = `${E}[?62;4;22c`;

let root: string;
let driver: string;
/** With sharp, and without. */
let bare: string;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-images-')));
  const other = join(root, 'bare');
  mkdirSync(other);
  bare = await buildDriver(other);
  const furnished = join(root, 'furnished');
  mkdirSync(join(furnished, 'node_modules'), { recursive: true });
  symlinkSync(resolve(import.meta.dirname, '../../node_modules/sharp'), join(furnished, 'node_modules/sharp'));
  driver = await buildDriver(furnished);
  writeFileSync(join(root, 'noise.png'), await noise());
  writeFileSync(join(root, 'flat.jpg'), await flat().jpeg({ quality: 100 }).toBuffer());
  writeFileSync(join(root, 'flat.gif'), await flat().gif().toBuffer());
  writeFileSync(join(root, 'flat.png'), await flat().png().toBuffer());
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Noise does not compress: the file has to go in several pieces. */
function noise(): Promise<Buffer> {
  const pixels = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: 60, height: 60, channels: 3, background: 'white', noise: pixels } })
    .png()
    .toBuffer();
}

/** Red, with a blue quarter. */
function flat(): Sharp {
  const quarter = { create: { width: 16, height: 8, channels: 3, background: '#0000ff' } } as const;
  return sharp({ create: { width: 32, height: 16, channels: 3, background: '#ff0000' } }).composite([
    { input: quarter, left: 0, top: 0 },
  ]);
}

interface Scene {
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
}

/** Prints an image between two lines, and then prompts. */
function open(context: TestContext, image: string, { env = {}, program = driver }: Scene = {}): PlayedTerminal {
  const script = `'${process.execPath}' '${program}' images '${join(root, image)}'`;
  return playTerminal(context, { script, cwd: root, env });
}

/** Types a line at the prompt, and expects that it is all that the program was given; then leaves. */
async function checkInput(terminal: PlayedTerminal, typed = 'hello'): Promise<void> {
  terminal.send(`${typed}\r`);
  await terminal.until(new RegExp(`got "${typed}"`, 'u'));
  terminal.send('\u0004');
  expect(await terminal.ended).toBe(0);
}

test('a terminal that knows the kitty protocol gets the image, in order with the text, and the input line stays empty', async (context) => {
  const terminal = open(context, 'noise.png');
  await terminal.until(/\[c/u);
  expect(terminal.written()).toContain(QUERY);
  terminal.send(KITTY + PLAIN);
  const written = await terminal.until(/after/u);
  expect(kittyDrawn(written)).toEqual(readFileSync(join(root, 'noise.png')));
  expect(written.indexOf('a=T')).toBeGreaterThan(written.indexOf('before'));
  expect(written.indexOf('a=T')).toBeLessThan(written.indexOf('after'));
  await checkInput(terminal);
});

test('a JPEG goes to a kitty terminal as PNG with sharp, and not at all without', async (context) => {
  const [terminal, poor] = [open(context, 'flat.jpg'), open(context, 'flat.jpg', { program: bare })];
  for (const one of [terminal, poor]) {
    await one.until(/\[c/u);
    one.send(KITTY + PLAIN);
  }
  const file = kittyDrawn(await terminal.until(/after/u))!;
  expect(await sharp(file).metadata()).toMatchObject({ format: 'png', width: 32, height: 16 });
  expect(kittyDrawn(await poor.until(/after/u))).toBeUndefined();
  await Promise.all([checkInput(terminal), checkInput(poor)]);
});

test('a terminal with sixel gets the pixels where sharp is installed', async (context) => {
  const [terminal, poor] = [open(context, 'flat.png'), open(context, 'flat.png', { program: bare })];
  for (const one of [terminal, poor]) {
    await one.until(/\[c/u);
    one.send(SIXEL);
  }
  const { width, height, pixels } = sixelDrawn(await terminal.until(/after/u))!;
  expect([width, height]).toEqual([32, 16]);
  expect([...pixels.subarray(0, 3), ...pixels.subarray(-3)]).toEqual([0, 0, 255, 255, 0, 0]);
  expect(sixelDrawn(await poor.until(/after/u))).toBeUndefined();
  await Promise.all([checkInput(terminal), checkInput(poor)]);
});

test.for([{ TERM_PROGRAM: 'iTerm.app' }, { TERM_PROGRAM: 'WezTerm' }, { LC_TERMINAL: 'iTerm2' }])(
  'a terminal that says it is %j is not asked and gets the file',
  async (env, context) => {
    const terminal = open(context, 'flat.jpg', { env });
    const written = await terminal.until(/after/u);
    expect(itermDrawn(written)).toEqual(readFileSync(join(root, 'flat.jpg')));
    expect(written).not.toContain('a=q');
    await checkInput(terminal);
  },
);

test.for<[string, Record<string, string>]>([
  ['tmux without passthrough', { TMUX: '/nowhere,1,0', TERM: 'tmux-256color' }],
  ['screen', { STY: '1.x', TERM: 'screen' }],
  ['the console of Linux', { TERM: 'linux' }],
  ['a dumb terminal', { TERM: 'dumb' }],
])('%s is not asked and gets no image', async ([, env], context) => {
  const terminal = open(context, 'flat.png', { env });
  expect(await terminal.until(/after/u)).not.toMatch(/a=q|a=T|1337/u);
  await checkInput(terminal);
});

test('a terminal that never replies gets no image, and nobody waits for it', async (context) => {
  const terminal = open(context, 'flat.png', { env: { REPLY_TIME: 'none' } });
  expect(await terminal.until(/after/u)).not.toContain('a=T');
  await checkInput(terminal);
});

test('a reply that comes late, while the user types, is not in the input line, and counts for the next image', async (context) => {
  const terminal = open(context, 'flat.png', { env: { REPLY_TIME: 'none' } });
  await terminal.until(/after[\s\S]*> /u);
  terminal.send('he');
  await terminal.until(/> he/u);
  terminal.send(`l${KITTY}l${PLAIN}o\r`);
  const written = await terminal.until(/got "[^"]*"/u);
  expect(/got "([^"]*)"/u.exec(written)?.[1]).toBe('hello');
  expect(written).not.toContain('a=T');
  await checkInput(terminal, 'again');
});

/** A server whose tools return images, and things that only pretend to be some. */
const PICTURES = `
  const { readFileSync } = require('node:fs');
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const image = (data) => ({ content: [{ type: 'image', mimeType: 'image/png', data }] });
  const tools = {
    noise: () => image(readFileSync(process.env.NOISE).toString('base64')),
    evil: () => image(Buffer.from('\\\\u001B]0;owned\\\\u0007\\\\u001B_Ga=T;QUFB\\\\u001B').toString('base64')),
  };
  const answers = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'pictures', version: '1' } }),
    'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    'tools/call': ({ name }) => tools[name](),
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    send(answers[method] ? { id, result: answers[method](params) } : { id, error: { code: -32601, message: 'no' } });
  });
`;

interface Program {
  readonly home: string;
  /** Runs a shell script with $PLUGBOARD on a terminal that replies with this as soon as it is asked. */
  readonly play: (script: string, reply: string) => PlayedTerminal;
}

async function openProgram(context: TestContext): Promise<Program> {
  const entry = scripted(PICTURES, { env: { NOISE: join(root, 'noise.png') } });
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { pictures: entry } } });
  const program = await copyProgram(sandbox.root);
  return {
    home: sandbox.home,
    play(script, reply) {
      const env = { HOME: sandbox.home, PLUGBOARD: `${process.execPath} ${program}`, PLUGBOARD_KEYCHAIN: 'off' };
      const terminal = playTerminal(context, { script, cwd: sandbox.project, env });
      void terminal.until(/\[c/u).then(() => terminal.send(reply));
      return terminal;
    },
  };
}

test('plugboard call draws the image of a result, names its file, and leaves the shell its input line', async (context) => {
  const { play } = await openProgram(context);
  // A busy machine may reply too late for the program: then the same is tried again.
  const drawn = await untilFound(async () => {
    const terminal = play(
      `$PLUGBOARD call pictures.noise; echo "[code $?]"; read line; echo "[line $line]"`,
      KITTY + PLAIN,
    );
    await terminal.until(/\[code 0\]/u);
    terminal.send('typed\r');
    const written = await terminal.until(/\[line [^\]]*\]/u);
    expect(written).toMatch(/\[image image\/png, 60x60, \d+ bytes, saved to .*\.png\]/u);
    expect(written).toContain('[line typed]');
    return kittyDrawn(written);
  });
  expect(drawn).toEqual(readFileSync(join(root, 'noise.png')));
});

test('a pipe, --json and what is no image get no byte of it, and the terminal is not asked', async (context) => {
  const { play } = await openProgram(context);
  const script = [
    '$PLUGBOARD call pictures.noise | cat',
    '$PLUGBOARD call pictures.noise --json > out.json',
    '$PLUGBOARD call pictures.evil',
    'echo "[code $?]"',
  ].join('; ');
  const terminal = play(script, KITTY + PLAIN);
  const written = await terminal.until(/\[code 0\]/u);
  expect(written).toMatch(/image\/png/u);
  expect(written).not.toMatch(/a=q|a=T|owned|1337/u);
});

test('a session draws the image of a call', async (context) => {
  const { play } = await openProgram(context);
  const drawn = await untilFound(async () => {
    const terminal = play('$PLUGBOARD', KITTY + PLAIN);
    await terminal.until(/> /u);
    terminal.send('/call pictures.noise\r');
    await terminal.until(/\d+ ms/u);
    terminal.send('/exit\r');
    await terminal.ended;
    return kittyDrawn(terminal.written());
  });
  expect(drawn).toEqual(readFileSync(join(root, 'noise.png')));
});

/** Types a line after the call, and expects that the shell was given nothing else; then leaves tmux. */
async function leaveTmux(terminal: PlayedTerminal): Promise<void> {
  await terminal.until(/\[code 0\]/u);
  terminal.send('typed\r');
  expect(await terminal.until(/\[line [^\]]*\]/u)).toContain('[line typed]');
  terminal.send('\r');
  await terminal.ended;
}

test('tmux passes the image on where allow-passthrough is on; where it is off, the terminal is not asked', async (context) => {
  if (spawnSync('tmux', ['-V']).status !== 0) context.skip('tmux is not installed');
  const { play, home } = await openProgram(context);
  onTestFinished(() => void spawnSync('tmux', ['kill-server'], { env: { ...process.env, TMUX_TMPDIR: home } }));
  const inTmux = (mode: string): PlayedTerminal => {
    const call = `tmux set -g allow-passthrough ${mode}; $PLUGBOARD call pictures.noise; echo "[code $?]"; read line; echo "[line $line]"; read line`;
    return play(`TMUX_TMPDIR=$HOME; export TMUX_TMPDIR; tmux -f /dev/null new-session '${call}'`, '');
  };
  const drawn = await untilFound(async () => {
    const terminal = inTmux('on');
    await terminal.until(/a=q/u);
    terminal.send(KITTY);
    await leaveTmux(terminal);
    return kittyDrawn(terminal.written());
  });
  expect(drawn).toEqual(readFileSync(join(root, 'noise.png')));
  const terminal = inTmux('off');
  await leaveTmux(terminal);
  expect(terminal.written()).not.toMatch(/a=q|a=T/u);
});
