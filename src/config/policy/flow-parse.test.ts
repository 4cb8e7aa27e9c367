import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { rememberFlowRule } from './permissions-edit.js';
import { localFile } from '../scopes/local.js';
import { userFile } from '../scopes/user.js';

type Place = 'managed' | 'flag' | 'local' | 'user' | 'project';

interface Loaded {
  readonly mode: string | undefined;
  /** Rules for all servers. */
  readonly all: readonly string[] | undefined;
  /** Rules for servers of the user. */
  readonly own: readonly string[] | undefined;
  /** `field: message` of each problem. */
  readonly problems: readonly string[];
  /** What is decided about all calls, because a setting cannot be read. */
  readonly doubts: readonly string[];
}

async function load(flows: Partial<Record<Place, unknown>>): Promise<Loaded> {
  using house = openHouse();
  const { managed, flag, local, user, project } = flows;
  if (managed !== undefined) house.write(join(house.managed, 'managed-settings.json'), { flow: managed });
  if (local !== undefined) house.write(localFile(house.context())!, { settings: { flow: local } });
  if (user !== undefined) house.write(userFile(house.context())!, { settings: { flow: user } });
  if (project !== undefined) house.write(join(house.project, '.plugboard/settings.json'), { flow: project });
  const loaded = await house.load(flag === undefined ? {} : { settings: { flow: flag } });
  return {
    mode: loaded.flow.mode,
    all: loaded.flow.allow,
    own: loaded.flow.ownAllow,
    problems: loaded.problems.map(({ field, message }) => `${field}: ${message}`),
    doubts: loaded.permissions.doubts.map(({ behavior }) => behavior),
  };
}

const fine = { problems: [], doubts: [] };

test.each<readonly [string, Partial<Record<Place, unknown>>, Partial<Loaded>]>([
  ['nothing is set', {}, { mode: undefined, ...fine }],
  [
    'the user sets all',
    { user: { mode: 'deny', allow: ['web -> notes'] } },
    { mode: 'deny', all: [], own: ['web -> notes'] },
  ],
  [
    'the strongest mode and the rules of all files hold',
    { flag: { mode: 'strict' }, local: { mode: 'off', allow: ['a -> b'] }, user: { mode: 'ask', allow: ['* -> c'] } },
    { mode: 'strict', all: ['a -> b'], own: ['* -> c'], ...fine },
  ],
  [
    'a mode of the administrator makes the rules of others count no more',
    { managed: { mode: 'deny', allow: ['a -> b'] }, user: { mode: 'off', allow: ['* -> *'] } },
    { mode: 'deny', all: [], own: ['a -> b'], ...fine },
  ],
  [
    'a repository decides nothing',
    { project: { mode: 'off', allow: ['* -> *'] }, user: { mode: 'ask' } },
    {
      mode: 'ask',
      all: [],
      own: [],
      problems: ['flow: is ignored: a project file cannot decide about what may leave a conversation'],
      doubts: [],
    },
  ],
  [
    'a misspelt mode has every call asked about',
    { user: { mode: 'denny' } },
    { mode: undefined, problems: ['settings.flow.mode: is not one of off, ask, strict, deny'], doubts: ['ask'] },
  ],
  ["an administrator's misspelt mode denies every call", { managed: { mode: 1 } }, { doubts: ['deny'] }],
  ['what is no object has every call asked about', { user: 'ask' }, { doubts: ['ask'] }],
  ['a misspelt field for the mode, too', { user: { mod: 'deny' } }, { doubts: ['ask'] }],
  [
    'a rule that cannot be read allows nothing',
    { user: { allow: ['web notes', 'a -> b -> c', '->', 7, 'web->notes'] } },
    {
      own: ['web->notes'],
      problems: [0, 1, 2, 3].map((at) => `settings.flow.allow[${at}]: is not a rule about flows`),
      doubts: [],
    },
  ],
  ['rules that are no list allow nothing', { user: { allow: 'web -> notes' } }, { own: [], doubts: [] }],
])('%s', async (_, flows, expected) => expect(await load(flows)).toMatchObject(expected));

test('an answer for good joins the rules of the user, once, and leaves all else as it was', async () => {
  using house = openHouse();
  const file = userFile(house.context())!;
  house.write(file, '{\n  // mine\n  "settings": { "flow": { "mode": "ask" } },\n}\n');
  await rememberFlowRule(house.context(), { rule: 'web -> notes', scope: 'user' });
  await rememberFlowRule(house.context(), { rule: 'web -> notes', scope: 'user' });
  await rememberFlowRule(house.context(), { rule: 'Read -> web', scope: 'local' });
  const { flow, problems } = await house.load();
  expect([flow, problems]).toEqual([{ mode: 'ask', allow: ['Read -> web'], ownAllow: ['web -> notes'] }, []]);
});
