import { expect, test } from 'vitest';
import { type Stage, useStages } from './terminal-scene.js';

const open = useStages();
const STATUS = 'status of the session';

/** Waits until the last rows and the cursor equal these. */
async function check(stage: Stage, rows: readonly string[], cursor?: string): Promise<void> {
  const isSo = (shown: readonly string[]): boolean =>
    shown.slice(-rows.length).join('\n') === rows.join('\n') && [undefined, stage.cursor()].includes(cursor);
  expect((await stage.untilRows(isSo)).slice(-rows.length)).toEqual(rows);
}

test('a prompt is written, edited in the middle, wrapped, and stays on the screen once it is entered', async (context) => {
  const stage = await open(context, '$DRIVER prompt', { columns: 30 });
  await check(stage, ['>', STATUS], '2,0');
  stage.write('hello word');
  stage.type('Left');
  stage.write('l日本');
  await check(stage, ['> hello worl日本d', STATUS], '16,0');
  stage.type('End');
  stage.write(', and more than goes in a row');
  await check(stage, ['> hello worl日本d, and more t', '  han goes in a row', STATUS], '19,1');
  stage.type('C-a');
  await check(stage, ['> hello worl日本d, and more t', '  han goes in a row', STATUS], '2,0');
  stage.type('M-f', 'C-k', 'Enter');
  await check(stage, ['> hello', 'got "hello"', '>', STATUS], '2,2');
  stage.write('one\\');
  stage.type('Enter');
  stage.write('two');
  stage.type('M-Enter');
  stage.write('three');
  await check(stage, ['> one', '  two', '  three', STATUS], '7,4');
  stage.type('Up', 'Up');
  stage.write('!');
  stage.type('Enter');
  await check(stage, ['> one!', '  two', '  three', 'got "one!\\ntwo\\nthree"', '>', STATUS]);
  // Ctrl-L clears the screen and keeps the prompt's text.
  stage.write('more');
  stage.type('C-l');
  await check(stage, ['> more', STATUS], '6,0');
});

test('the menu offers what could stand there, and only what is chosen is taken', async (context) => {
  const stage = await open(context, '$DRIVER prompt');
  await stage.until(STATUS);
  stage.write('/');
  const menu = await stage.untilRows((rows) => rows.length === 10);
  expect(menu.slice(1, 4)).toEqual(['> /clear  about /clear', '  /call   about /call', '  /cost   about /cost']);
  stage.type('Down', 'Down', 'Up', 'Tab');
  await check(stage, ['> /call', STATUS], '8,0');
  stage.type('C-u');
  stage.write('/mo');
  await stage.until('> /model  about');
  stage.type('Enter', 'Enter');
  await check(stage, ['> /model', 'got "/model"', '>', STATUS]);
  // After Escape, Enter enters the text as typed, although menu items begin with it.
  stage.write('/t');
  await stage.until('  /two');
  stage.type('Escape');
  await check(stage, ['> /t', STATUS]);
  stage.type('Enter');
  await check(stage, ['> /t', 'got "/t"', '>', STATUS]);
  stage.write('@');
  await stage.until('> @late  comes later');
  stage.type('Enter');
  await check(stage, ['> @late', STATUS], '8,4');
});

test('what was entered before comes back, by its beginning and by what is in it', async (context) => {
  const stage = await open(context, '$DRIVER prompt');
  await stage.until(STATUS);
  stage.write('draft');
  stage.type('Home', 'Up', 'Up');
  await check(stage, ['> second', '  of two rows', STATUS], '13,1');
  stage.type('Up', 'Up');
  await check(stage, ['> first entry', STATUS]);
  stage.type('Down', 'Down', 'Down', 'Down');
  await check(stage, ['> draft', STATUS]);
  stage.type('C-u');
  stage.write('f');
  stage.type('Up');
  await check(stage, ['> first entry', STATUS]);
  stage.type('C-c', 'C-r');
  stage.write('entr');
  await check(stage, ['(search: entr) third entry', STATUS]);
  stage.type('C-r');
  await check(stage, ['(search: entr) first entry', STATUS]);
  stage.type('Escape');
  await check(stage, ['> first entry', STATUS]);
});

test('a paste is put in as it is, however long, and never entered by itself', async (context) => {
  const stage = await open(context, '$DRIVER prompt', { columns: 100, rows: 12 });
  await stage.until(STATUS);
  stage.paste('first\nsecond \u001B[31mred\n');
  await check(stage, ['> first', '  second [31mred', '', STATUS], '2,2');
  stage.type('Enter');
  await stage.until('got "first\\nsecond [31mred\\n"');
  stage.paste('word '.repeat(300_000));
  await stage.until('Cut: the last 500000 characters of what you pasted are missing');
  stage.type('Enter');
  await stage.until('got 1000000');
});

test('whatever is printed meanwhile, no line of it is lost, and the prompt stays where it is', async (context) => {
  const stage = await open(context, '$DRIVER busy', { columns: 62 });
  await stage.until('line 20 ');
  stage.write('typed while lines come');
  await stage.until('line 200');
  await check(stage, ['words that are', 'still coming', 'working 200', '> typed while lines come']);
  stage.type('Enter');
  const rows = await stage.untilRows((shown) => shown.at(-1) === '[ended 0]');
  const lines = rows
    .join('\n')
    .replaceAll(/x\n(?=x)/gu, 'x')
    .split('\n');
  const numbers = lines.flatMap((line) => /^line (\d+)/u.exec(line)?.[1] ?? []);
  expect(numbers).toEqual(Array.from({ length: 200 }, (_, at) => String(at + 1)));
  expect(lines.filter((line) => !line.startsWith('line '))).toEqual([
    '> typed while lines come',
    'got {"kind":"text","text":"typed while lines come"} after 200',
    'left',
    '[ended 0]',
  ]);
});

test('a window that changes its size takes nothing away, and leaves nothing behind', async (context) => {
  const stage = await open(context, '$DRIVER prompt', { columns: 60 });
  await stage.until(STATUS);
  const entered = Array.from({ length: 9 }, (_, at) => `number ${at}`);
  for (const text of entered) {
    stage.line(text);
    await stage.until(`got "${text}"`);
  }
  const words = 'words '.repeat(20).trim();
  stage.write(words);
  await stage.untilRows((rows) => rows.length === 22);
  for (const [columns, rows] of [
    [30, 20],
    [23, 20],
    [46, 20],
    [20, 14],
    [119, 6],
    [40, 30],
    [61, 20],
  ] as const) {
    stage.resize(columns, rows);
    // A long prompt scrolls within a third of the screen.
    const visible = toRows(words, columns).slice(-Math.floor(rows / 3));
    const drawn = [...visible, columns === 20 ? 'status of the sessi…' : STATUS].join('\n');
    await stage.untilRows((shown) => shown.join('\n').endsWith(`\n${drawn}`));
  }
  const expected = [
    ...entered.flatMap((text) => [`> ${text}`, `got "${text}"`]),
    '> words words words words words words words words words word',
    '  s words words words words words words words words words wo',
    '  rds',
    STATUS,
  ];
  const shown = await stage.untilRows((rows) => rows.join('\n') === expected.join('\n'));
  expect(shown).toEqual(expected);
});

test('questions take only what is pressed after they were seen, and leave nothing when they are left', async (context) => {
  const stage = await open(context, '$DRIVER ask', { columns: 40 });
  await check(stage, ['Your name:'], '11,0');
  stage.write('Ada');
  stage.paste(' of\n  London town');
  await check(stage, ['Your name: Ada of London town'], '29,0');
  stage.type('Enter');
  await check(stage, ['Your name: Ada of London town', 'Secret:'], '8,1');
  stage.write('hunter2');
  stage.type('Enter');
  await stage.until('Waited 1');
  stage.write('ab');
  await stage.untilRows((rows) => rows.some((row) => /^Waited \d+: ab$/u.test(row)));
  const [waited] = (await stage.until('Waited ')).match(/Waited \d+/u)!;
  await stage.untilRows((rows) => rows.some((row) => /^Waited \d+: ab$/u.test(row) && !row.startsWith(`${waited}:`)));
  stage.type('Escape');
  await check(stage, ['Your name: Ada of London town', 'Secret:', 'Sure?', '[y]es, [n]o:'], '13,3');
  stage.paste('y');
  stage.write('x');
  await stage.answer('Y', '[ended 0]');
  expect(await stage.untilRows(() => true)).toEqual([
    'Your name: Ada of London town',
    'Secret:',
    'Sure?',
    '[y]es, [n]o: y',
    'got ["Ada of London town","hunter2","can',
    'celled","yes","cancelled"]',
    'left',
    '[ended 0]',
  ]);
  // Only the driver's own line contains the secret.
  expect(stage.written().split('hunter2')).toHaveLength(2);
});

test('Ctrl-C empties the prompt, warns, and leaves; Ctrl-D leaves an empty one', async (context) => {
  const stage = await open(context, '$DRIVER prompt; $DRIVER prompt');
  await stage.until(STATUS);
  stage.write('text');
  stage.type('C-c');
  await check(stage, ['>', STATUS]);
  stage.type('C-c');
  // The warning is shown for two seconds, which may pass between two looks at the screen.
  await stage.untilRows(() => stage.written().includes('Ctrl-C again leaves'));
  stage.write('x');
  await check(stage, ['> x', STATUS]);
  stage.type('C-c', 'C-c', 'C-c');
  await check(stage, ['left', '>', STATUS]);
  stage.write('x');
  stage.type('C-d', 'BSpace', 'C-d');
  await check(stage, ['left', 'left', '[ended 0]']);
});

test('Ctrl-C and Escape stop what is under way; what is typed meanwhile answers nothing and waits in the prompt', async (context) => {
  const stage = await open(context, '$DRIVER work 2');
  await stage.until('working');
  stage.write('y and more');
  stage.type('Enter');
  stage.type('Escape');
  await check(stage, ['stopped 1', 'working']);
  stage.type('C-c');
  await check(stage, ['stopped 1', 'stopped 2', 'Go on?']);
  await stage.untilRows((rows) => rows.length === 3);
  await stage.answer('n', 'answer no');
  await check(stage, ['Go on? n', 'answer no', '> y and more']);
  stage.type('Enter');
  await stage.until('got {"kind":"text","text":"y and more"}');
});

test('whoever presses Ctrl-C three times gets out, and so does whom nobody listens to', async (context) => {
  const same = 'stty -a > before; $DRIVER work 9; echo "[$?]"; $DRIVER deaf; echo "[$?]"; stty -a | cmp - before';
  const stage = await open(context, same);
  await stage.until('working');
  stage.type('C-c', 'C-c', 'C-c');
  await check(stage, ['stopped 1', 'stopped 2', '[130]', 'working']);
  stage.type('C-c');
  await check(stage, ['[130]', '[130]', '[ended 0]']);
});

/** The rows of a prompt at this width: its mark, an indent on further rows, and room for the cursor at the end. */
function toRows(text: string, columns: number): string[] {
  const room = columns - 3;
  return Array.from({ length: Math.ceil(text.length / room) }, (_, at) =>
    `${at === 0 ? '> ' : '  '}${text.slice(at * room, (at + 1) * room)}`.trimEnd(),
  );
}
