import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { userFile } from '../scopes/user.js';

test.each<[unknown, unknown, number]>([
  ['claude-opus-5', { name: 'claude-opus-5' }, 0],
  [' openai/qwen3 ', { name: 'openai/qwen3' }, 0],
  [
    { name: 'qwen3', contextTokens: 32_768, maxTokens: 4_096 },
    { name: 'qwen3', contextTokens: 32_768, maxTokens: 4_096 },
    0,
  ],
  [{ contextTokens: 32_768 }, { contextTokens: 32_768 }, 0],
  [
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    0,
  ],
  [{ tools: ['web_search'] }, undefined, 1],
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

test.each(['.mcp.json', '.plugboard/settings.json'])(
  'a repository has no say in %s about which model is talked to, and which sub-agents there are',
  async (file) => {
    using house = openHouse();
    const mine = { model: 'evil', agents: { evil: { description: 'e', prompt: 'e' } } };
    house.write(`${house.project}/${file}`, { ...mine, settings: mine, mcpServers: {} });
    const { settings } = await house.load();
    expect([settings.model, settings.agents]).toEqual([undefined, undefined]);
  },
);

test.each<[unknown, unknown, number]>([
  [{ days: 7, mb: 100 }, { days: 7, mb: 100 }, 0],
  [{ days: 7 }, { days: 7 }, 0],
  [{}, {}, 0],
  [{ days: 0 }, undefined, 1],
  [{ mb: 1.5 }, undefined, 1],
  [{ mb: '100' }, undefined, 1],
  [30, undefined, 1],
])('how long sessions and saved results are kept may be %j', async (kept, expected, problems) => {
  using house = openHouse();
  house.write(userFile(house.context())!, { settings: { sessions: kept, results: kept } });
  const loaded = await house.load();
  expect([loaded.settings.sessions, loaded.settings.results]).toEqual([expected, expected]);
  for (const field of ['settings.sessions', 'settings.results']) {
    expect(loaded.problems.filter((problem) => problem.field === field)).toHaveLength(problems);
  }
});
