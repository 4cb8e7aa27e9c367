import { expect, test } from 'vitest';
import { call, say } from './prompt-scene.js';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';
import { desk, openModel, readBy, useSeats } from './session-terminal-scene.js';

const open = useSeats();

test('whoever starts it for the first time learns what there is and what is missing', async (context) => {
  const { line, until, untilSo } = open(context, { columns: 80 });
  const first = await until('> ');
  console.log(first);
  line('hello');
  console.log(await until('/help work by hand'));
  line('/help');
  console.log(await until('begins with /'));
  line('/mcp');
  console.log(await untilSo((screen) => screen.includes('q back')));
  line('q');
  line('/exit');
  console.log(await until('[ended'));
});

test('project server', async (context) => {
  const sandbox = makeSandbox();
  sandbox.write(PROJECT_FILE, { mcpServers: { desk: desk(sandbox) } });
  const { api, env } = await openModel([
    [{ type: 'text', text: 'Let me look.' }, call('mcp__desk__read_note', { key: 'a' }, 't1')],
    [call('mcp__desk__write_note', { key: 'b' }, 't2')],
    say('Done **that**.'),
    [call('mcp__desk__ship', { key: 'b' }, 't3')],
    say('Shipped.'),
    [call('mcp__desk__report', {}, 't4')],
    say('Long.'),
  ]);
  const { line, until, untilSo, type } = open(context, { sandbox, env });
  console.log(await until('y/n/s:'));
  type('y');
  await until('is connected');
  line('go on');
  console.log(await until('y/s/a/n/t:'));
  type('y');
  console.log(await untilSo((screen) => screen.split('y/s/a/n/t:').length > 2 || screen.includes('Done that.')));
  type('y');
  console.log(await until('Done that.'));
  line('ship');
  await untilSo((screen) => /y\/s\/a\/n\/t: *$/m.test(screen));
  type('y');
  console.log(await until('City'));
  line('x');
  expect(readBy(api, 1)).toContain('');
  console.log(await until('express'));
  line('y');
  console.log(await until('Send?'));
  line('y');
  console.log(await untilSo((screen) => /Shipped/m.test(screen)));
  line('report');
  console.log(await untilSo((screen) => /Long\./m.test(screen)));
  line('/exit');
  console.log(await until('[ended'));
});
void USER_FILE;
