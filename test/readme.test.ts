import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, PageScene, root } from './docs/page-scene.js';

const blocks = blocksOf('README.md');
const running = blocks.filter(({ language }) => language !== 'text');
const scene = new PageScene();

beforeAll(() => scene.openModel());
afterAll(() => scene.close());

test('the page has the blocks that a new user starts from', () => {
  expect(blocks.map(({ language }) => language)).toEqual(['text', 'sh', 'sh', 'sh', 'json', 'sh', 'ts', 'sh', 'text']);
});

test('the examples compile', () => {
  expect(scene.compile(running.filter(({ language }) => language === 'ts'))).toBe('');
});

test.each(running)('$language block: $code', async (block) => {
  expect(await scene.run(block)).toBe('');
});

test('the page is short enough to be read, and no line of prose is longer than a screen', () => {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').split('\n');
  expect(lines.length).toBeLessThan(155);
  expect(lines.filter((line) => line.length > 160 && !line.startsWith('|'))).toEqual([]);
});
