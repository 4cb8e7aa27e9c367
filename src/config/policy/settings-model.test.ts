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

test('what a repository may not set is told, at the top and in "settings"', async () => {
  using house = openHouse();
  const mine = { results: { mb: 1 }, sessions: { days: 1 }, model: 'evil' };
  house.write(`${house.project}/.plugboard/settings.json`, { sessions: mine.sessions, settings: mine });
  const { settings, problems } = await house.load();
  expect([settings.model, settings.sessions, settings.results]).toEqual([undefined, undefined, undefined]);
  const told = problems.map(({ severity, code, field, message }) => [severity, code, field, message]);
  const IGNORED = 'is ignored: a project file cannot decide about';
  expect(told).toEqual([
    ['warning', 'ignored-field', 'sessions', `${IGNORED} how long sessions are kept`],
    ['warning', 'ignored-field', 'settings.model', `${IGNORED} which model is talked to`],
    ['warning', 'ignored-field', 'settings.sessions', `${IGNORED} how long sessions are kept`],
    ['warning', 'ignored-field', 'settings.results', `${IGNORED} how long results are kept`],
  ]);
});

test.each<[unknown, unknown, string[]]>([
  [{ days: 7, mb: 100 }, { days: 7, mb: 100 }, []],
  [{ days: 7 }, { days: 7 }, []],
  [{}, {}, []],
  [{ days: 0 }, {}, ['.days']],
  [{ days: 7, mb: 1.5 }, { days: 7 }, ['.mb']],
  [{ mb: '100', days: 36_501 }, {}, ['.days', '.mb']],
  [{ mb: 1e9, day: 7 }, {}, ['.day', '.mb']],
  [30, undefined, ['']],
  [[7], undefined, ['']],
])('how long sessions and saved results are kept may be %j', async (kept, expected, wrong) => {
  using house = openHouse();
  house.write(userFile(house.context())!, { settings: { sessions: kept, results: kept } });
  const loaded = await house.load();
  expect([loaded.settings.sessions, loaded.settings.results]).toEqual([expected, expected]);
  const fields = loaded.problems.map(({ field }) => field);
  const expectedFields = ['results', 'sessions'].flatMap((name) => wrong.map((end) => `settings.${name}${end}`));
  expect(new Set(fields)).toEqual(new Set(expectedFields));
  expect(fields).toHaveLength(expectedFields.length);
});

test('a number that does not fit is told with its limits, and what to write', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, {
    settings: { results: { mb: 1e9, day: 3 }, sessions: { days: -1 }, model: { nam: 'x' } },
  });
  const { problems } = await house.load();
  const UNKNOWN = 'unknown field; Plugboard ignores it and leaves it in the file';
  const told = new Set(problems.map(({ severity, field, message, hint }) => [severity, field, message, hint]));
  expect(told).toEqual(
    new Set([
      [
        'error',
        'settings.results.mb',
        'expected a whole number from 1 to 100000 (megabytes)',
        'Write "mb": 1024, or leave it out',
      ],
      [
        'error',
        'settings.sessions.days',
        'expected a whole number from 1 to 36500 (days)',
        'Write "days": 30, or leave it out',
      ],
      ['warning', 'settings.model.nam', UNKNOWN, 'Did you mean "name"?'],
      ['warning', 'settings.results.day', UNKNOWN, 'Did you mean "days"?'],
    ]),
  );
});
