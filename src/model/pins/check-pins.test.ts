import { expect, test } from 'vitest';
import { checkPins, setAllAside, type OfferedPins } from './check-pins.js';
import type { LockedServer } from './lock.js';

const locked: LockedServer = {
  entry: 'E',
  package: { name: 'x', version: '1', integrity: 'I' },
  instructions: 'T',
  tools: new Map([
    ['a', 'A'],
    ['b', 'B'],
  ]),
  prompts: new Map([['p', 'P']]),
};
const offer: OfferedPins = {
  entry: 'E',
  package: { name: 'x', version: '1', integrity: 'I' },
  instructions: 'T',
  tools: [
    { name: 'a', pin: 'A' },
    { name: 'b', pin: 'B' },
  ],
  prompts: [{ name: 'p', pin: 'P' }],
};

/** One line, such as `aside tool a`, for each item of the verdict. */
function check(lock: LockedServer | undefined, change: Partial<OfferedPins>, expected: readonly string[]): void {
  const { aside, told, added, missing } = checkPins(lock, { ...offer, ...change });
  const said = Object.entries({ aside, told, added, missing }).flatMap(([word, list]) =>
    list.map(({ kind, name }) => `${word} ${kind} ${name}`),
  );
  expect(said).toEqual(expected);
}

test.each<[string, Partial<OfferedPins>, readonly string[]]>([
  ['nothing else', {}, []],
  ['another tool under a name', { tools: [{ name: 'a', pin: 'X' }, offer.tools[1]!] }, ['aside tool a']],
  ['a tool that it does not define', { tools: [{ name: 'a', pin: undefined }, offer.tools[1]!] }, ['aside tool a']],
  ['a new tool', { tools: [...offer.tools, { name: 'c', pin: 'C' }] }, ['added tool c']],
  ['a new tool that it does not define', { tools: [...offer.tools, { name: 'c', pin: undefined }] }, ['added tool c']],
  ['a tool less', { tools: [offer.tools[1]!] }, ['missing tool a']],
  [
    'a tool with the pin of another',
    {
      tools: [
        { name: 'a', pin: 'B' },
        { name: 'b', pin: 'A' },
      ],
    },
    ['aside tool a', 'aside tool b'],
  ],
  ['another prompt', { prompts: [{ name: 'p', pin: 'X' }] }, ['aside prompt p']],
  [
    'a prompt named as a tool',
    {
      prompts: [
        { name: 'p', pin: 'P' },
        { name: 'a', pin: 'A' },
      ],
    },
    ['added prompt a'],
  ],
  ['other instructions', { instructions: 'X' }, ['aside instructions instructions']],
  ['no instructions', { instructions: undefined }, ['missing instructions instructions']],
  ['another entry', { entry: 'X' }, ['told entry entry']],
  ['another version of its package', { package: { name: 'x', version: '2', integrity: 'J' } }, ['told package x']],
  ['another package', { package: { name: 'y', version: '1' } }, ['told package y']],
  ['other content of the same version', { package: { name: 'x', version: '1', integrity: 'J' } }, ['told package x']],
  ['a package whose content nobody noted', { package: { name: 'x', version: '1' } }, []],
  ['a package that is not installed here', { package: undefined }, []],
])('a server that offers %s', (_, change, expected) => check(locked, change, expected));

test('without a lock nothing is set aside', () => check(undefined, { tools: [{ name: 'z', pin: undefined }] }, []));

test('a server that was pinned without instructions says nothing to a model until somebody has read it', () =>
  check({ ...locked, instructions: undefined }, {}, ['aside instructions instructions']));

test('a server without a package has nothing to tell of one', () => check({ ...locked, package: undefined }, {}, []));

test('a lock that cannot be read closes everything that the server offers', () => {
  const { aside, added } = setAllAside(offer, 'it is broken');
  expect(aside.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`)).toEqual([
    'tool a: it is broken',
    'tool b: it is broken',
    'prompt p: it is broken',
    'instructions instructions: it is broken',
  ]);
  expect(added).toEqual([]);
});
