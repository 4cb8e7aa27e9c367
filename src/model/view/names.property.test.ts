import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { assignNames, type NamedTool } from './names.js';

const RESERVED = ['Read', 'ToolSearch', 'a', 'mcp__a__b'];
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
const SUFFIXED = /_[a-z2-9]{10}$/;

/** Few letters, so that collisions are frequent. */
const crowded = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '_', '.', ' ', '🙂'), maxLength: 5 });
const spelling = fc.oneof(
  { weight: 4, arbitrary: crowded },
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constantFrom('x'.repeat(70), `${'x'.repeat(70)}y`, '__proto__', 'constructor', 'Read', 'mcp__a__b'),
);
// The kind of a server follows from its name here, because no server is both bare and a connector.
const toTool = ({ server, tool }: { server: string; tool: string }): NamedTool =>
  server.startsWith('b') ? { server, tool, prefix: false } : { server, tool, connector: server.endsWith('_') };
const tools = fc
  .uniqueArray(fc.record({ server: spelling, tool: spelling }), {
    selector: ({ server, tool }) => JSON.stringify([server, tool]),
    maxLength: 40,
  })
  .map((pairs) => pairs.map(toTool));

/** The smallest input that breaks the property, or null. */
function counterexample<T>(property: fc.IProperty<T>): T | null {
  return fc.check(property, { numRuns: 400 }).counterexample;
}

test('every tool gets a legal name of its own that leads back to it, whatever servers call their tools', () => {
  const property = fc.property(tools, (given) => {
    const table = assignNames(given, { reserved: RESERVED });
    const names = given.map(({ server, tool }) => table.nameOf(server, tool)!);
    const distinct = new Set([...RESERVED, ...names].map((name) => name.toLowerCase()));
    return (
      names.every((name, index) => LEGAL.test(name) && table.lookup(name) === given[index]) &&
      distinct.size === RESERVED.length + given.length &&
      [...table.entries()].length === given.length
    );
  });
  expect(counterexample(property)).toBeNull();
});

test('it does not matter which server answered first', () => {
  const shuffled = tools.chain((given) =>
    fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
  );
  const property = fc.property(shuffled, ([given, other]) => {
    const left = assignNames(given, { reserved: RESERVED });
    const right = assignNames(other, { reserved: RESERVED });
    return given.every(({ server, tool }) => left.nameOf(server, tool) === right.nameOf(server, tool));
  });
  expect(counterexample(property)).toBeNull();
});

test('a tool that had to take a suffix keeps it when others join', () => {
  const property = fc.property(tools, fc.nat({ max: 40 }), (given, count) => {
    const few = assignNames(given.slice(0, count), { reserved: RESERVED });
    const all = assignNames(given, { reserved: RESERVED });
    const suffixed = [...few.entries()].filter(([name]) => SUFFIXED.test(name));
    return suffixed.every(([name, { server, tool }]) => all.nameOf(server, tool) === name);
  });
  expect(counterexample(property)).toBeNull();
});
