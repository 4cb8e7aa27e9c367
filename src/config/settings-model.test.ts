import { expect, test } from 'vitest';
import { openHouse } from '../../test/house.js';
import { userFile } from './scopes/user.js';

test.each<[unknown, unknown, number]>([
  ['claude-opus-5', { name: 'claude-opus-5' }, 0],
  [' openai/qwen3 ', { name: 'openai/qwen3' }, 0],
  [
    { name: 'qwen3', contextTokens: 32_768, maxTokens: 4_096 },
    { name: 'qwen3', contextTokens: 32_768, maxTokens: 4_096 },
    0,
  ],
  [{ contextTokens: 32_768 }, { contextTokens: 32_768 }, 0],
  ['', undefined, 1],
  [7, undefined, 1],
  [['a'], undefined, 1],
  [{ name: 7 }, undefined, 1],
  [{ name: 'qwen3', contextTokens: -1 }, undefined, 1],
  [{ name: 'qwen3', maxTokens: '4096' }, undefined, 1],
])('the model of the settings may be %j', async (model, expected, problems) => {
  using house = openHouse();
  house.write(userFile(house.context())!, { settings: { model } });
  const loaded = await house.load();
  expect(loaded.settings.model).toEqual(expected);
  expect(loaded.problems.filter(({ field }) => field === 'settings.model')).toHaveLength(problems);
});

test('a repository has no say in which model is talked to', async () => {
  using house = openHouse();
  house.write(`${house.project}/.mcp.json`, { settings: { model: 'evil' }, mcpServers: {} });
  expect((await house.load()).settings.model).toBeUndefined();
});
