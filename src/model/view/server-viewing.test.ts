import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nastySchemas } from '../../../test/profiles/nasty-definitions.js';
import { toDefinition } from '../../../test/profiles/scene.js';
import { profiles } from '../profiles/all.js';
import type { ToolDefinition } from '../tool.js';
import { ServerViewing } from './server-viewing.js';

const definitions = Object.entries(nastySchemas).map(([name, schema]) => toDefinition(`mcp__a__${name}`, schema));

function open(profile: (typeof profiles)[number], tools: readonly ToolDefinition[], lost = NONE): ServerViewing {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return new ServerViewing(
    {
      name: 'a',
      alwaysLoad: false,
      names: () => [...byName.keys()],
      definitions: (names) => names.flatMap((name) => (lost.has(name) ? [] : (byName.get(name) ?? []))),
    },
    profile,
  );
}

test('in however many steps tools are viewed, the outcome is that of all at once', () => {
  const many = Array.from({ length: 200 }, (_, at) => toDefinition(`mcp__a__many_${at}`));
  const large = Array.from({ length: 20 }, (_, at) =>
    toDefinition(`mcp__a__large_${at}`, undefined, { description: 'x'.repeat(90_000) }),
  );
  const some = fc.shuffledSubarray([...definitions, ...many, ...large]);
  fc.assert(
    fc.property(some, fc.constantFrom(...profiles), fc.nat(40), fc.nat(3), (tools, profile, steps, missing) => {
      const lost = new Set(tools.slice(0, missing).map(({ name }) => name));
      const [whole, stepped] = [open(profile, tools, lost), open(profile, tools, lost)];
      whole.finish();
      for (let step = 0; step < steps; step++) stepped.step();
      stepped.finish();
      expect(stepped.isDone).toBe(true);
      expect([...stepped.viewed.tools]).toEqual([...whole.viewed.tools]);
      expect(stepped.viewed).toEqual(whole.viewed);
      expect(stepped.lost).toEqual(whole.lost);
      const names = [...whole.viewed.tools.keys()];
      const before = JSON.stringify(names.map((name) => whole.toolsNamed(names).get(name)));
      stepped.release();
      expect(JSON.stringify(names.map((name) => stepped.toolsNamed(names).get(name)))).toBe(before);
    }),
    { numRuns: process.env['PLUGBOARD_FULL'] === undefined ? 10 : 50 },
  );
});

test('of large definitions few are viewed at once, and more than a request takes are not kept', () => {
  const large = Array.from({ length: 100 }, (_, at) =>
    toDefinition(`mcp__a__large_${at}`, undefined, { description: 'x'.repeat(50_000) }),
  );
  const viewing = open(profiles[0]!, large);
  let steps = 1;
  while (viewing.step()) steps++;
  expect(steps).toBeGreaterThan(25);
  expect(viewing.keptBytes).toBe(0);
  expect(viewing.toolsNamed(['mcp__a__large_3', 'mcp__a__none']).size).toBe(1);
});

const NONE: ReadonlySet<string> = new Set();
