import { inspect } from 'node:util';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../../test/house.js';
import { loadConfig } from '../index.js';
import { userFile } from './scopes/user.js';

test('whatever an embedder prints of a load, no secret of the user is in it', async () => {
  using house = openHouse();
  house.env['SECRET_ONE'] = 'planted-one';
  house.write(userFile(house.context())!, {
    mcpServers: {
      a: {
        command: 'x',
        args: ['${SECRET_ONE}', '--token', 'planted-two'],
        env: { K: 'planted-three', L: '${SECRET_ONE}' },
      },
      b: { url: 'https://h.example/${SECRET_ONE}?key=planted-two', headers: { Authorization: 'Bearer planted-three' } },
      c: { url: 'https://h.example', oauth: { clientSecret: 'planted-two' } },
    },
    settings: { connectors: { url: 'https://c.example/?key=planted-two', token: 'planted-three' } },
  });
  const loaded = await loadConfig(house.context().options);
  expect(loaded.servers.map(({ name, standing }) => [name, standing.kind])).toEqual([
    ['a', 'ready'],
    ['b', 'ready'],
    ['c', 'ready'],
  ]);
  expect(JSON.stringify(loaded) + inspect(loaded, { depth: 9 })).not.toContain('planted');
});

test('what is told about a hostile file can be printed as it is', async () => {
  using house = openHouse();
  house.write(join(house.project, '.mcp.json'), '{ "mcpServers": { "a": { "command": "x", "\\u001b[31mred": 1 } } }');
  const { problems } = await loadConfig(house.context().options);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.map(({ message, hint }) => message + hint).join('')).not.toContain('\u001b');
});
