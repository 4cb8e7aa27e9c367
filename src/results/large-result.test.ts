import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openResultScene, text, toResult } from '../../test/result-scene.js';
import { Spilled } from '../model/spilled.js';
import { flattenSpilled } from './flatten-spilled.js';
import { spillFolder } from '../edge/spill/spill-folder.js';
import { countTokens } from './token-count.js';

const LINE = 'All work and no play makes Jack a dull boy.\n';

test('a text beyond 25,000 tokens goes to one file; the model gets its beginning and how to read on', async () => {
  const { shape } = openResultScene();
  const words = LINE.repeat(5_000);
  const { texts, saved, files, notes } = await shape({ content: [text(words)] });
  const { path } = saved[0]!;
  expect(saved).toEqual([{ path: expect.stringMatching(/\.txt$/u), bytes: 220_000, mimeType: 'text/plain' }]);
  expect(files).toEqual([words]);
  expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
  const [head, how, begins, ...preview] = texts[0]!.split('\n');
  expect(head).toBe(
    `[The text of this result is too large to be shown whole: 220,000 bytes in 5,000 lines. All of it is saved to ${path} (plain text).]`,
  );
  expect(how).toBe(`To read on, call Read with {"path":"${path}","offset":46,"limit":500}.`);
  expect(begins).toBe('It begins:');
  expect(preview).toEqual([...Array.from({ length: 46 }, () => LINE.trimEnd()), '…']);
  expect(notes).toEqual([]);
});

test('from 10,000 tokens a note says how long it is, and nothing is saved', async () => {
  const { shape } = openResultScene();
  const words = LINE.repeat(1_500);
  const { texts, saved, notes } = await shape({ content: [text(words)] });
  expect([texts, saved]).toEqual([[words], []]);
  expect(notes).toEqual([expect.stringMatching(/^The result is long: about 1\d,\d{3} tokens$/u)]);
});

test('what the gate removes of a long text is counted once', async () => {
  const { notes } = await openResultScene().shape({ content: [text('\u{e0041}x\n'.repeat(60_000))] });
  expect(notes).toContain('60000 hidden characters were removed');
});

test('all texts go to the same file, and pictures stay where they are', async () => {
  const { shape } = openResultScene();
  const picture = {
    type: 'image',
    mimeType: 'image/gif',
    data: Buffer.from('GIF89a\x01\0\x01\0\0\0\0;').toString('base64'),
  };
  const { content, files } = await shape({
    content: [picture, text(LINE.repeat(3_000)), picture, text(LINE.repeat(3_000)), text('the end')],
  });
  expect(content.map(({ type }) => type)).toEqual(['image', 'text', 'image']);
  expect(files).toEqual([`${LINE.repeat(3_000)}\n${LINE.repeat(3_000)}\nthe end`]);
});

test.each([
  [undefined, 300_000, true],
  [1e12, 3_000_000, true],
  [1e12, 500_001, true],
  [1e12, 499_999, false],
  [300_001, 300_000, false],
  [5_000, 6_000, true],
  [-1, 60_000, false],
  [Number.NaN, 60_000, false],
])('a tool that asks for %d characters and gives %d', async (maxResultChars, length, isSaved) => {
  const { shape } = openResultScene();
  const { saved } = await shape({ content: [text(LINE.repeat(length / 44 + 1).slice(0, length))] }, { maxResultChars });
  expect(saved.length > 0).toBe(isSaved);
});

test('the limit of the user holds', async () => {
  const { shape } = openResultScene();
  expect((await shape({ content: [text(LINE.repeat(200))] }, { tokenLimit: 1_000 })).saved).toHaveLength(1);
});

test('JSON stays JSON, with its schema beside it', async () => {
  const { shape } = openResultScene();
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `n${id}`, ...(id % 3 > 0 && { tags: ['a'] }) }));
  const words = JSON.stringify({ total: 3, rows });
  const { texts, saved, files } = await shape({ content: [text(words)] });
  expect(saved).toMatchObject([{ path: expect.stringMatching(/\.json$/u), mimeType: 'application/json' }]);
  expect(files).toEqual([words]);
  expect(texts[0]).toContain(
    '\nSchema: {total: number, rows: [{id: number, name: string, tags?: [string]}]} (as far as its beginning tells)\n',
  );
  expect(texts[0]).toContain('"characters":{"from":2048,"count":20000}'); // the text is a single line
});

test('structured content has a file of its own, a row a line; texts that fit stay', async () => {
  const { shape } = openResultScene();
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `n${id}` }));
  const { texts, files, structuredContent } = await shape({
    content: [text('20,000 rows')],
    structuredContent: { rows, total: rows.length },
  });
  expect(texts[0]).toBe('20,000 rows');
  expect(texts[1]).toContain('\nSchema: {rows: [{id: number, name: string}], total: number}\n');
  expect(JSON.parse(files[0]!)).toEqual({ rows, total: 20_000 });
  expect(files[0]!.split('\n').slice(0, 3)).toEqual(['{', ' "rows": [', '  {"id":0,"name":"n0"},']);
  expect(structuredContent).toBeUndefined();
});

test('large structured content that the text says is saved once', async () => {
  const { shape } = openResultScene();
  const structured = { rows: Array.from({ length: 9_000 }, (_, id) => ({ id, at: id / 7, 'né"': `"\\${id}\u2028é` })) };
  const words = JSON.stringify(structured, null, 2).replaceAll('é', '\\u00e9');
  const { texts, files } = await shape({ content: [text(words)], structuredContent: structured });
  expect([texts.length, files.length]).toEqual([1, 1]);
  expect(JSON.parse(files[0]!)).toEqual(structured);
  const other = { rows: [...structured.rows.slice(0, -1), { id: 1, at: 0, 'né"': 'x' }] };
  expect((await shape({ content: [text(words)], structuredContent: other })).files).toHaveLength(2);
});

test('what the wire has put in a file is used as it is', async () => {
  const { shape, root } = openResultScene();
  const place = join(root, 'result-0123456789abcdef');
  const words = LINE.repeat(50_000);
  writeFileSync(place, words);
  const spilled = new Spilled({ kind: 'text', bytes: words.length, place, preview: words.slice(0, 2_048) });
  const { texts, saved } = await shape({
    content: [text('before'), { type: 'text', text: spilled }, text('after')],
    saved: [{ path: place, bytes: words.length, mimeType: 'text/plain' }],
  });
  expect(saved).toEqual([{ path: place, bytes: words.length, mimeType: 'text/plain' }]);
  expect(texts).toEqual([
    'before',
    expect.stringContaining(`2,200,000 bytes in 50,000 lines. All of it is saved to ${place}`),
    'after',
  ]);
});

test('structured content in a file is told with its schema; where a text begins the same, only once', async () => {
  const { shape, root } = openResultScene();
  const words = JSON.stringify({ rows: Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'somebody' })) });
  const spilled = (kind: 'text' | 'json'): Spilled => {
    const place = join(root, kind);
    writeFileSync(place, words);
    return new Spilled({ kind, bytes: words.length, place, preview: words.slice(0, 2_048) });
  };
  const alone = await shape({ content: [text('rows')], structuredContent: spilled('json') });
  expect(alone.texts[1]).toContain('Schema: {rows: [{id: number, name: string}]} (as far');
  expect(alone).not.toHaveProperty('structuredContent');
  const both = await shape({ content: [{ type: 'text', text: spilled('text') }], structuredContent: spilled('json') });
  expect(both.texts).toEqual([
    expect.stringContaining('It begins:'),
    expect.stringMatching(/^\[The same as structured content is saved to /u),
  ]);
  expect(both.saved.map(({ path }) => path)).toEqual([join(root, 'json'), join(root, 'text')]);
});

test('base64 that the wire has put in a file becomes a file of bytes, and is gone itself', async () => {
  const { shape, root } = openResultScene();
  const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE'), Buffer.alloc(1_000_000, 7)]);
  for (const [index, encoded] of [
    bytes.toString('base64'),
    bytes.toString('base64').replaceAll(/.{76}/gu, '$&\n'),
  ].entries()) {
    const place = join(root, `result-${index}`);
    writeFileSync(place, encoded);
    const data = new Spilled({ kind: 'text', bytes: encoded.length, place, preview: encoded.slice(0, 2_048) });
    const { saved } = await shape({
      content: [{ type: 'audio', data, mimeType: 'audio/wav' }],
      saved: [{ path: place, bytes: 1, mimeType: 'text/plain' }],
    });
    expect(saved).toMatchObject([{ bytes: 1_000_012, mimeType: 'audio/wav' }]);
    expect(readFileSync(saved[0]!.path).equals(bytes)).toBe(true);
    expect(() => statSync(place)).toThrow('ENOENT');
  }
  const place = join(root, 'broken');
  writeFileSync(place, `${bytes.toString('base64')}!`);
  const data = new Spilled({ kind: 'text', bytes: 1, place, preview: '' });
  const { texts } = await shape({ content: [{ type: 'audio', data }] });
  expect(texts).toEqual(['[Audio from weather] Its data is not valid base64, so there is nothing to show']);
});

test('whoever wants it as it came gets the beginnings of what is in files, and nothing else is touched', () => {
  const spilled = new Spilled({ kind: 'text', bytes: 99, place: '/x', preview: 'first' });
  const result = toResult({
    content: [
      text('\u001b[2J'),
      { type: 'text', text: spilled },
      { type: 'image', mimeType: 'image/png', data: spilled },
    ],
    structuredContent: new Spilled({ kind: 'json', bytes: 9, place: '/y', preview: '{' }),
    saved: [
      { path: '/x', bytes: 99, mimeType: 'text/plain' },
      { path: '/hook', bytes: 1, mimeType: 'text/plain' },
    ],
  });
  expect(flattenSpilled(result)).toEqual({
    ...toResult({}),
    content: [
      text('\u001b[2J'),
      text('first\n… [99 bytes in all, saved to /x]'),
      { type: 'text', mimeType: 'image/png', text: '[image/png: 99 bytes of base64, saved to /x]' },
    ],
    saved: [
      { path: '/hook', bytes: 1, mimeType: 'text/plain' },
      { path: '/x', bytes: 99, mimeType: 'text/plain', at: '/content/1/text' },
      { path: '/x', bytes: 99, mimeType: 'text/plain', at: '/content/2/data' },
      { path: '/y', bytes: 9, mimeType: 'application/json', at: '/structuredContent' },
    ],
  });
  const { saved } = flattenSpilled({ ...result, content: [], structuredContent: { 'a/b': [{ '~c': spilled }] } });
  expect(saved.map(({ at }) => at)).toEqual([undefined, '/structuredContent/a~1b/0/~0c']);
  const plain = toResult({ content: [text('hi')] });
  expect(flattenSpilled(plain)).toBe(plain);
});

async function checkCut(
  { shape }: ReturnType<typeof openResultScene>,
  store: ReturnType<typeof spillFolder> | undefined,
): Promise<readonly string[]> {
  const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, name: 'somebody' }));
  const { texts, saved, outcome, notes } = await shape(
    { content: [text(LINE.repeat(40_000)), { type: 'audio', data: btoa('fLaC0000') }], structuredContent: { rows } },
    { store },
  );
  expect([outcome, saved]).toEqual(['ok', []]);
  expect(texts[0]!.startsWith(LINE) && countTokens(texts[0]!) <= 25_000 && countTokens(texts[0]!) > 20_000).toBe(true);
  expect(texts[1]).toMatch(/^\[Cut here\. [\d,]+ more characters are not shown and could not be saved: ask for less/u);
  expect(texts[2]).toMatch(/^\[Audio from weather\] Binary content \(audio\/flac, 8 bytes\) could not be saved: /u);
  expect(texts[3]).toMatch(/\n\[Cut here\. The rest is not shown/u);
  return notes;
}

test('F22: where there is no folder, a result is cut to the limit, with advice', async () => {
  const notes = await checkCut(openResultScene(), undefined);
  expect(notes[1]).toBe('The text could not be saved, so it was cut: there is no folder for results');
});

test('where all saved results may have less than this one, the note names the setting', async () => {
  const scene = openResultScene();
  const store = spillFolder(join(scene.root, 'few'), { limits: () => ({ bytes: 4, ageMs: 60_000 }) });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const notes = await checkCut(scene, store);
  const named = notes.filter((note) => note.includes('(Raise "mb" of "results" in the settings'));
  expect(named.map((note) => note.slice(0, 27))).toEqual([
    'Audio from weather: its con',
    'The text could not be saved',
    'The structured content coul',
  ]);
});

test('F22: where the folder is a file, or a link, the same', async () => {
  const scene = openResultScene();
  writeFileSync(join(scene.root, 'file'), '');
  const notes = await checkCut(scene, spillFolder(join(scene.root, 'file')));
  expect(notes[1]).toContain('is no folder, or a link to one');
});

test('F22: a full disk, the same, and nothing is left on it', async (context) => {
  const scene = openResultScene();
  const disk = join(scene.root, 'disk');
  mkdirSync(disk, { mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    context.skip('may not mount a small disk');
  }
  const file = openSync(join(disk, 'full'), 'w');
  expect(() => {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  }).toThrow('ENOSPC');
  closeSync(file);
  try {
    const notes = await checkCut(scene, spillFolder(disk));
    expect(notes[1]).toContain('ENOSPC');
    expect(readdirSync(disk)).toEqual(['full']);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});

test('a call that was cancelled saves nothing more', async () => {
  const { shape } = openResultScene();
  const { saved, texts } = await shape({ content: [text(LINE.repeat(40_000))] }, { signal: AbortSignal.abort() });
  expect(saved).toEqual([]);
  expect(texts.at(-1)).toContain('Cut here');
});

test.each([9, 12])('%i MB of text are saved, and nobody waits for long meanwhile', async (megabytes) => {
  const { shape } = openResultScene();
  const words = LINE.repeat((megabytes * 1_000_000) / 44);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const { files, texts } = await shape({ content: [text(words)] });
  clearInterval(timer);
  expect(files[0] === words).toBe(true);
  expect(texts[0]!.length).toBeLessThan(3_000);
  expect(turns).toBeGreaterThan(1);
});
