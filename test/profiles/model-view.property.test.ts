import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelView } from '../../src/model/view/model-view.js';
import { profiles } from '../../src/model/profiles/all.js';
import { breachesOfAnthropic } from './rules-anthropic.js';
import { breachesOfGemini } from './rules-gemini.js';
import { breachesOfOpenai } from './rules-openai.js';
import { builtIns, SceneServer, toDefinition } from './scene.js';

const breachesOf = { anthropic: breachesOfAnthropic, openai: breachesOfOpenai, gemini: breachesOfGemini };
const schemas = fc.constantFrom<unknown>(
  {},
  { type: 'object' },
  { type: 'string' },
  { oneOf: [{ required: ['a'] }, {}] },
);
const tools = fc.uniqueArray(
  fc.record({
    tool: fc.constantFrom('a', 'b', 'c', 'd'),
    schema: schemas,
    description: fc.constantFrom('x', 'y'),
    alwaysLoad: fc.boolean(),
  }),
  { selector: ({ tool }) => tool, maxLength: 4 },
);
const server = fc.record({
  name: fc.constantFrom('one', 'two', 'three'),
  state: fc.constantFrom('connected', 'pending', 'failed', 'needs-auth', 'reconnecting', 'idle'),
  instructions: fc.constantFrom(undefined, 'Do this.', 'Do that.\n## two'),
  hasResources: fc.boolean(),
  alwaysLoad: fc.boolean(),
  tools,
});
const snapshots = fc.array(fc.uniqueArray(server, { selector: ({ name }) => name, maxLength: 3 }), {
  minLength: 2,
  maxLength: 6,
});

test('whatever servers do, what a model has read stays byte for byte, and its API refuses nothing', () => {
  fc.assert(
    fc.property(
      snapshots,
      fc.constantFrom(...profiles),
      fc.constantFrom('auto', 'always', 'never'),
      fc.constantFrom(100, 2_000, 200_000),
      (turns, profile, toolSearch, contextTokens) => {
        const view = new ModelView({ profile, toolSearch, contextTokens });
        let block: string | undefined;
        let words: string | undefined;
        let told = '';
        for (const [at, servers] of turns.entries()) {
          const offers = servers.map((one) => toOffer(one, at));
          const { tools: shown, system, news } = view.turn({ builtIns, servers: offers });
          const text = JSON.stringify(shown);
          block ??= text;
          words ??= system;
          // Deferred tools join the end: everything before the closing bracket of the list stays.
          expect(text.slice(0, block.length - 1)).toBe(block.slice(0, -1));
          expect(profile.defers === 'by-call' ? text : block).toBe(block);
          block = text;
          expect(system).toBe(words);
          expect((news ?? '').length).toBeLessThanOrEqual(10_000);
          expect(breachesOf[profile.name](shown)).toEqual([]);

          const again = view.turn({ builtIns, servers: offers });
          expect(again.tools).toBe(shown);
          expect(again.news).toBeUndefined();
          expect(JSON.stringify([again.system, again.setAside, again.repairs]).length).toBeGreaterThan(0);
          const aside = new Set(again.setAside.map(({ tool }) => tool));
          const usable = offers.flatMap((offer) => offer.names()).filter((name) => !aside.has(name));
          expect(usable.filter((name) => view.isGone(name) !== undefined)).toEqual([]);
          told += `${text}\n${system}\n${news}`;
          // Only a conversation without ToolSearch may leave out a name.
          expect(usable.filter((name) => text.includes('ToolSearch') && !told.includes(name))).toEqual([]);
        }
        const report = view.report();
        expect(report.changes.every(({ tokens }) => Number.isSafeInteger(tokens) && tokens >= 0)).toBe(true);
      },
    ),
    { numRuns: process.env['PLUGBOARD_FULL'] ? 10_000 : 400 },
  );
});

function toOffer(one: typeof server extends fc.Arbitrary<infer T> ? T : never, at: number): SceneServer {
  const offer = new SceneServer(
    one.name,
    one.tools.map(({ tool, schema, ...more }) => toDefinition(`mcp__${one.name}__${tool}`, schema, more)),
  );
  offer.revision = String(at);
  const { state, instructions, hasResources, alwaysLoad } = one;
  return Object.assign(offer, { state, instructions, hasResources, alwaysLoad });
}
