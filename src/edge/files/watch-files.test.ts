import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FileWatch, watchFiles } from './watch-files.js';
import { replaceFile } from './write-file.js';

let folder: string;
let controller: AbortController;
let told: string[][];
let wake: () => void;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-watch-')));
  controller = new AbortController();
  told = [];
  wake = () => {};
});
afterEach(() => {
  controller.abort();
  rmSync(folder, { recursive: true, force: true });
});

const at = (...names: string[]): string => join(folder, ...names);

function onChange(changed: readonly string[]): void {
  told.push(changed.map((path) => path.slice(folder.length + 1)));
  wake();
}

function watching(...names: string[]): FileWatch {
  return watchFiles(
    names.map((name) => at(name)),
    onChange,
    { signal: controller.signal, debounceMs: 20 },
  );
}

/** Waits for the next report, and checks that there is only one. */
async function next(): Promise<string[]> {
  if (told.length === 0) {
    await new Promise<void>((done) => {
      wake = done;
    });
  }
  expect(told).toHaveLength(1);
  return told.shift()!;
}

/** Replaces a link atomically, as deployments do. */
function repoint(link: string, target: string): void {
  symlinkSync(target, at('fresh'));
  renameSync(at('fresh'), at(link));
}

/** Runs each step, and checks which files are reported as changed. */
async function check(names: string[], steps: readonly (readonly [() => unknown, readonly string[]])[]): Promise<void> {
  watching(...names);
  for (const [change, expected] of steps) {
    await change();
    expect(await next()).toEqual(expected);
  }
}

test('a file that appears, changes and vanishes is told each time', async () => {
  await check(
    ['a'],
    [
      [() => writeFileSync(at('a'), '1'), ['a']],
      [() => appendFileSync(at('a'), '2'), ['a']],
      [() => unlinkSync(at('a')), ['a']],
    ],
  );
});

test('an atomic replacement is one change', async () => {
  writeFileSync(at('a'), 'old');
  await check(['a'], [[() => replaceFile(at('a'), 'new'), ['a']]]);
});

test('two files changed together are told together', async () => {
  await check(['a', 'b'], [[() => (writeFileSync(at('a'), '1'), writeFileSync(at('b'), '1')), ['a', 'b']]]);
});

test('a neighbour’s change is not told', async () => {
  writeFileSync(at('a'), 'old');
  const neighbourThenOwn = (): void => {
    for (let index = 0; index < 50; index++) writeFileSync(at(`neighbour-${index}`), '');
    writeFileSync(at('b'), '1');
  };
  await check(['a', 'b'], [[neighbourThenOwn, ['b']]]);
});

test('folders that do not exist yet are waited for, and waited for again when they vanish', async () => {
  await check(
    ['x/y/z/a'],
    [
      [() => (mkdirSync(at('x/y/z'), { recursive: true }), writeFileSync(at('x/y/z/a'), '1')), ['x/y/z/a']],
      [() => writeFileSync(at('x/y/z/a'), '22'), ['x/y/z/a']],
      [() => rmSync(at('x'), { recursive: true }), ['x/y/z/a']],
      [() => (mkdirSync(at('x/y/z'), { recursive: true }), writeFileSync(at('x/y/z/a'), '1')), ['x/y/z/a']],
      [() => renameSync(at('x/y'), at('x/gone')), ['x/y/z/a']],
      [() => renameSync(at('x/gone'), at('x/y')), ['x/y/z/a']],
      [() => appendFileSync(at('x/y/z/a'), '2'), ['x/y/z/a']],
    ],
  );
});

test('a folder removed and made again at once, with the same inode as it happens, is watched from then on', async () => {
  mkdirSync(at('x'));
  writeFileSync(at('x/a'), 'old');
  const again = (round: number) => (): void => {
    rmSync(at('x'), { recursive: true });
    mkdirSync(at('x'));
    writeFileSync(at('x/a'), `${round}`.repeat(round));
  };
  const append = [() => appendFileSync(at('x/a'), '!'), ['x/a']] as const;
  await check(['x/a'], [[again(1), ['x/a']], append, [again(5), ['x/a']], append, [again(9), ['x/a']], append]);
});

test('a folder replaced by another one is watched from then on', async () => {
  for (const name of ['now', 'later']) {
    mkdirSync(at(name));
    writeFileSync(at(name, 'a'), name);
  }
  await check(
    ['now/a'],
    [
      [() => (renameSync(at('now'), at('before')), renameSync(at('later'), at('now'))), ['now/a']],
      [() => appendFileSync(at('now/a'), '!'), ['now/a']],
    ],
  );
});

test('the target of a symbolic link is watched, and the link itself', async () => {
  mkdirSync(at('dotfiles'));
  writeFileSync(at('dotfiles/one'), '1');
  writeFileSync(at('dotfiles/two'), '22');
  symlinkSync('dotfiles/one', at('a'));
  await check(
    ['a'],
    [
      [() => appendFileSync(at('dotfiles/one'), '!'), ['a']],
      [() => repoint('a', 'dotfiles/two'), ['a']],
      [() => appendFileSync(at('dotfiles/two'), '!'), ['a']],
      [() => unlinkSync(at('dotfiles/two')), ['a']],
      [() => writeFileSync(at('dotfiles/two'), 'back'), ['a']],
    ],
  );
});

test('a linked folder that is pointed elsewhere, as mounted config maps are, is told', async () => {
  for (const name of ['one', 'two']) {
    mkdirSync(at(name));
    writeFileSync(at(name, 'config.json'), name);
  }
  symlinkSync('one', at('data'));
  symlinkSync('data/config.json', at('config.json'));
  await check(['config.json'], [[() => repoint('data', 'two'), ['config.json']]]);
});

test('links in a circle tell nothing until they are mended', async () => {
  symlinkSync('a', at('a'));
  await check(['a'], [[() => (unlinkSync(at('a')), writeFileSync(at('a'), '1')), ['a']]]);
});

test('the set of files can be changed; what is new in it is not told as a change', async () => {
  writeFileSync(at('a'), '1');
  writeFileSync(at('b'), '1');
  using watch = watching('a');
  watch.update([at('b')]);
  writeFileSync(at('a'), '22');
  writeFileSync(at('b'), '22');
  expect(await next()).toEqual(['b']);
});

test('a change from just before the set was changed is not forgotten', async () => {
  writeFileSync(at('a'), '1');
  using watch = watching('a');
  writeFileSync(at('a'), '22');
  watch.update([at('a'), at('b')]);
  expect(await next()).toEqual(['a']);
});

test('a file written without a pause is told about all the same', async () => {
  watching('a');
  const timer = setInterval(() => appendFileSync(at('a'), 'x'), 2);
  try {
    expect(await next()).toEqual(['a']);
  } finally {
    clearInterval(timer);
  }
});

test.each(['aborted', 'disposed'])('nothing is told once it is %s', async (how) => {
  const watch = watching('a');
  writeFileSync(at('a'), '1');
  if (how === 'aborted') controller.abort();
  else watch[Symbol.dispose]();
  watch[Symbol.dispose]();
  watch.update([at('a')]);
  // A second watch with a longer debounce reports after the first one would have.
  const second = new AbortController();
  await new Promise<void>((done) => {
    watchFiles([at('a')], () => done(), { signal: second.signal, debounceMs: 50 });
    writeFileSync(at('a'), '22');
  });
  second.abort();
  expect(told).toEqual([]);
});

test('watching after the signal was aborted does nothing', () => {
  controller.abort();
  expect(() => watching('a').update([at('b')])).not.toThrow();
});
