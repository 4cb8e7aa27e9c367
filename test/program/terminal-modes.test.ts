import { expect, test } from 'vitest';
import { type Stage, useStages } from './terminal-scene.js';

const open = useStages();
const STATUS = 'status of the session';

/** Waits until the last rows equal these. */
async function check(stage: Stage, rows: readonly string[]): Promise<void> {
  const shown = await stage.untilRows((all) => all.slice(-rows.length).join('\n') === rows.join('\n'));
  expect(shown.slice(-rows.length)).toEqual(rows);
}

test('something else has the whole screen, with every key, and all comes back afterwards', async (context) => {
  const stage = await open(context, '$DRIVER full', { columns: 40, rows: 10 });
  await stage.until('panel 40x10');
  stage.type('C-c', 'Escape');
  await check(stage, ['panel 40x10', 'key ctrl-c', 'key escape', `${'x'.repeat(39)}…`]);
  stage.resize(30, 8);
  await check(stage, ['panel 30x8', 'key ctrl-c', 'key escape', `${'x'.repeat(29)}…`]);
  const before = stage.written().length;
  stage.type('z');
  await check(stage, ['key escape', 'key z', `${'x'.repeat(29)}…`]);
  // Only the two changed rows are written.
  expect(stage.written().slice(before)).not.toContain('panel');
  stage.type('q');
  await check(stage, ['before', 'printed meanwhile', '>', STATUS]);
  stage.type('C-d');
  await check(stage, ['before', 'printed meanwhile', 'left', '[ended 0]']);
});

test('a program that crashes, or is told to end, leaves the terminal as it was', async (context) => {
  const script =
    'stty -a > before; $DRIVER crash 2> trace; echo "[$?]"; $DRIVER prompt; echo "[$?]"; $DRIVER prompt; echo "[$?]"; stty -a | cmp - before';
  const stage = await open(context, script);
  await check(stage, ['[1]', '>', STATUS]);
  stage.write('half');
  await check(stage, ['> half', STATUS]);
  stage.signal('SIGTERM');
  await check(stage, ['[1]', '[143]', '>', STATUS]);
  stage.signal('SIGQUIT');
  await check(stage, ['[1]', '[143]', '[131]', '[ended 0]']);
  const modes = ['2004', '25', '1049'].map((mode) => stage.written().matchAll(new RegExp(`\\[\\?${mode}([hl])`, 'gu')));
  expect(modes.map((all) => [...all].at(-1)?.[1])).toEqual(['l', 'h', 'l']);
});

test('a terminal that is closed ends the program as it ends others, and not by a crash', async (context) => {
  // The shell outlives the program, so that it can report the exit code.
  const script = 'trap : HUP; $DRIVER prompt; code=$?; printf %s $code > new; mv new ended';
  const stages = await Promise.all([open(context, script), open(context, `TERM=dumb; export TERM; ${script}`)]);
  await Promise.all(stages.map((stage) => stage.until('>')));
  expect(await Promise.all(stages.map((stage) => stage.close()))).toEqual(['129', '129']);
});

test('Ctrl-Z gives the terminal to the shell, and all is there again afterwards', async (context) => {
  const stage = await open(context, "PS1='sh ' exec bash --norc --noprofile -i");
  stage.line('stty -a > before; clear; $DRIVER prompt');
  await check(stage, ['>', STATUS]);
  stage.write('half');
  await check(stage, ['> half', STATUS]);
  stage.type('C-z');
  await stage.untilRows((rows) => rows.some((row) => row.includes('Stopped')) && rows.at(-1) === 'sh');
  stage.line('stty -a | cmp - before && echo same');
  await stage.until('\nsame');
  stage.resize(30, 20);
  stage.line('fg');
  await check(stage, ['> half', STATUS]);
  stage.write(' and the rest of it in two rows');
  await check(stage, ['> half and the rest of it in', '  two rows', STATUS]);
});

test('without a shell that could continue it, Ctrl-Z does nothing', async (context) => {
  const stage = await open(context, '$DRIVER prompt');
  await check(stage, ['>', STATUS]);
  stage.type('C-z');
  stage.write('still here');
  await check(stage, ['> still here', STATUS]);
});

test('a terminal that cannot be drawn on is written to line by line, without a single escape sequence', async (context) => {
  const stage = await open(context, 'TERM=dumb; export TERM; $DRIVER prompt; $DRIVER ask; $DRIVER prompt < /dev/null');
  await check(stage, ['>']);
  stage.line('one\\');
  await check(stage, ['> one\\', '…']);
  stage.line('two');
  await stage.until('got "one\\ntwo"');
  stage.type('C-c');
  await check(stage, ['Ctrl-C again leaves', '>']);
  stage.type('C-c');
  await check(stage, ['left', 'Your name:']);
  stage.line('Ada');
  await check(stage, ['Secret:']);
  stage.line('hunter2');
  await check(stage, ['Secret:', 'Waited 0:']);
  stage.type('C-c');
  await check(stage, ['Sure?', '[y]es, [n]o:']);
  stage.line('maybe');
  await check(stage, ['One of y, n, Enter:']);
  stage.line('');
  await check(stage, ['got ["Ada","hunter2","cancelled","enter","cancelled"]', 'left', '>', 'left', '[ended 0]']);
  expect(stage.written()).not.toContain('\u001B');
  expect(stage.written().split('hunter2')).toHaveLength(2);
});

test('a terminal that does not know how wide it is has 80 columns', async (context) => {
  const stage = await open(context, 'stty cols 0 rows 0; $DRIVER prompt', { columns: 100 });
  await check(stage, ['>', STATUS]);
  stage.write('x'.repeat(90));
  await check(stage, [`> ${'x'.repeat(77)}`, `  ${'x'.repeat(13)}`, STATUS]);
  stage.type('Enter');
  await check(stage, [`got "${'x'.repeat(90)}"`, '>', STATUS]);
});

test('a dialog that writes line by line does so above what is under way', async (context) => {
  const stage = await open(context, '$DRIVER dialog', { columns: 80 });
  await check(stage, ['working', 'Fill in the form anyway? [y]es, [N]o (decline):']);
  stage.line('y');
  await check(stage, ['working', 'Text:']);
  stage.line('ada');
  await stage.until('Field 2 of 2');
  await check(stage, ['working', 'Text:']);
  stage.line('hunter2');
  await check(stage, ['|   password: (not shown)', 'working', 'Send? [y]es, [n]o (decline), [b]ack:']);
  stage.line('y');
  await check(stage, ['working', 'Waiting, 1:00 left (Ctrl-C stops)', 'Go on?']);
  stage.line('');
  const told = 'got {"action":"accept","content":{"user":"ada","password":"hunter2"}}';
  await check(stage, ['Go on?', 'Copied', told, 'left', '[ended 0]']);
  expect(stage.written().split('hunter2')).toHaveLength(2);
  expect(stage.written().split(']52;c;')).toHaveLength(2);
});
