import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientLines } from '../../src/cli/serve/client-lines.js';
import { type Block, blocksOf, PageScene, root } from './page-scene.js';

const pages = readdirSync(join(root, 'docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`);
/** The languages that a reader pastes and runs. What cannot run, such as output, is `text` or `jsonc`. */
const RUNNING = ['sh', 'json', 'ts'];

/** What needs the agent SDK runs where that is installed: test/agent-sdk/page-script.test.ts. */
const isRunHere = ({ language, code }: Block): boolean =>
  RUNNING.includes(language) && !code.includes('@anthropic-ai/claude-agent-sdk');

const compiler = new PageScene();
afterAll(() => compiler.close());

test('the examples of all pages compile', () => {
  expect(compiler.compile(pages.flatMap(blocksOf).filter((block) => block.language === 'ts' && isRunHere(block)))).toBe(
    '',
  );
});

describe.each(pages.filter((page) => blocksOf(page).some(isRunHere)))('%s', (page) => {
  const running = blocksOf(page).filter(isRunHere);
  let scene: PageScene;
  beforeAll(async () => {
    scene = new PageScene();
    scene.examples = compiler.examples;
    if (running.some(({ code }) => /-p '|Conversation/u.test(code))) await scene.openModel();
  });
  afterAll(() => scene.close());

  test.each(running)('$language block: $code', async (block) => {
    expect(await scene.run(block)).toBe('');
  });
});

test('every block says what it is', () => {
  const known = [...RUNNING, 'text', 'jsonc'];
  expect(
    pages.flatMap(blocksOf).filter(({ language, page }) => page !== 'docs/decisions.md' && !known.includes(language)),
  ).toEqual([]);
});

/** The anchors of a page that the site and GitHub agree on: those of headings without punctuation. */
function anchorsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^```.*?^```$/gmsu, '');
  return [...text.matchAll(/^#+ ([\w -]+)$/gmu)].map(([, heading]) => heading!.toLowerCase().replaceAll(' ', '-'));
}

const others = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'examples/README.md',
  'bench/README.md',
];

test.each([...pages, ...others])('%s links only to files and headings that are there', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target]) => target!);
  const missing = links.filter((target) => {
    if (/^[a-z]+:/u.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
  expect(missing).toEqual([]);
});

test('no line of prose is longer than a screen is wide', () => {
  const long = pages
    .filter((page) => page !== 'docs/decisions.md')
    .flatMap((page) => readFileSync(join(root, page), 'utf8').split('\n'))
    .filter((line) => line.length > 160 && !line.startsWith('|'));
  expect(long).toEqual([]);
});

test('every error code has its heading in the page that errors point to', () => {
  const file = ['src/base/error-codes.ts', 'src/base/errors.ts'].find((name) => existsSync(join(root, name)))!;
  const [list = ''] = readFileSync(join(root, file), 'utf8').split(/\] as const|interface HostErrorOptions/u);
  const codes = [...list.matchAll(/^ +(?:\| )?'([a-z-]+)'/gmu)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(40);
  expect(anchorsOf(join(root, 'docs/troubleshooting.md'))).toEqual(['troubleshooting', ...codes]);
});

test.each(['README.md', 'docs/gateway.md'])('%s has the lines for clients that plugboard serve prints', (page) => {
  const lines = clientLines('http://127.0.0.1:8931/mcp', 'KEY').join('\n');
  expect(blocksOf(page).map(({ code }) => code.trimEnd())).toContainEqual(lines);
});
