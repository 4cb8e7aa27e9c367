import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../../test/fake-clock.js';
import type { ScreenImage } from '../../../model/screen-image.js';
import { imageCells } from './image-size.js';
import { imageRouteOf } from './image-way.js';
import { TerminalImages } from './terminal-images.js';

const E = '\u001B';
const image: ScreenImage = { bytes: Uint8Array.of(1, 2, 3), type: 'image/png', width: 80, height: 80 };
const room = { columns: 80, rows: 24 };

function open(env: Readonly<Record<string, string>> = { TERM: 'xterm' }) {
  const clock = new FakeClock();
  const written: string[] = [];
  const images = new TerminalImages({ env, clock, write: (text) => written.push(text) });
  return { clock, written, images };
}

test('the terminal is asked once, with the first image, and the second one does not wait', async () => {
  const { images, written, clock } = open();
  expect(written).toEqual([]);
  const drawing = images.encode(image, room);
  await turn();
  images.reply(`${E}_Gi=31;OK${E}\\`);
  images.reply(`${E}[?62c`);
  expect(await drawing).toBe(`${E}_Ga=T,f=100,q=2,c=10,m=0;AQID${E}\\`);
  expect(await images.encode(image, room)).toBe(await drawing);
  expect([written.length, clock.timers]).toEqual([1, 0]);
});

test('after 200 ms nobody waits any more; a reply after that counts for the next image', async () => {
  const { images, clock } = open();
  const drawing = images.encode(image, room);
  await clock.pass(199);
  expect(images.isExpecting).toBe(true);
  await clock.pass(1);
  expect(await drawing).toBeUndefined();
  expect(await images.encode(image, room)).toBeUndefined();
  images.reply(`${E}_Gi=31;OK${E}\\`);
  images.reply(`${E}[?62c`);
  expect([images.isExpecting, await images.encode(image, room)]).toEqual([false, expect.stringContaining('a=T')]);
});

test('a program that ends waits a second for a reply that is due, and no longer', async () => {
  const { images, clock } = open();
  const drawing = images.encode(image, room);
  await clock.pass(200);
  await drawing;
  let isDone = false;
  const draining = images.drain().then(() => (isDone = true));
  await clock.pass(999);
  expect(isDone).toBe(false);
  await clock.pass(1);
  await draining;
});

test('replies to something else, errors, and replies that nobody asked for mean nothing', async () => {
  const { images, clock } = open();
  images.reply(`${E}_Gi=31;OK${E}\\`);
  const drawing = images.encode(image, room);
  await turn();
  images.reply(`${E}_Gi=32;OK${E}\\`);
  images.reply(`${E}_Gi=31;EINVAL:no${E}\\`);
  images.reply(`${E}[?62;22c`);
  expect([await drawing, clock.timers]).toEqual([undefined, 0]);
});

test.each<[env: Record<string, string>, way: string]>([
  [{ TERM: 'xterm-kitty' }, 'ask'],
  [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'iterm'],
  [{ TERM: 'xterm-256color', LC_TERMINAL: 'iTerm2' }, 'iterm'],
  [{ TERM: 'dumb', LC_TERMINAL: 'iTerm2' }, 'none'],
  [{ TERM: 'screen.xterm-256color', STY: '1.pts' }, 'none'],
  [{ TERM: 'screen-256color', TMUX: '/tmp/x,1,0' }, 'ask in tmux'],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/x,1,0', TERM_PROGRAM: 'WezTerm' }, 'ask in tmux'],
])('%j: %s', (env, expected) => {
  const { way, isTmux } = imageRouteOf(env);
  expect(`${way}${isTmux ? ' in tmux' : ''}`).toBe(expected);
});

test.each<[width: number, height: number, columns: number, rows: number]>([
  [8, 16, 1, 1],
  [4096, 4096, 40, 20],
  [4096, 1, 40, 1],
  [1, 4096, 1, 20],
  [100, 1000, 4, 20],
])('an image of %d x %d pixels takes %d x %d cells', (width, height, columns, rows) => {
  expect(imageCells({ width, height }, room)).toMatchObject({ columns, rows });
  const low = imageCells({ width, height }, { columns: 10, rows: 3 });
  expect([low.columns <= 9, low.rows <= 3]).toEqual([true, true]);
});
