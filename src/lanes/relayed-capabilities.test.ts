import { expect, test } from 'vitest';
import { relayedCapabilities } from './relayed-capabilities.js';

test.each([
  [{}, {}],
  [{ elicitation: {} }, { elicitation: { form: {} } }],
  [{ elicitation: { url: {} } }, { elicitation: { url: {} } }],
  [{ elicitation: { form: { applyDefaults: true } } }, { elicitation: { form: { applyDefaults: true } } }],
  [{ roots: { listChanged: true }, tasks: { list: {} }, odd: { x: 1 } }, { roots: {} }],
  [{ sampling: { tools: {}, context: {}, odd: {} } }, { sampling: { tools: {}, context: {} } }],
  [{ sampling: true, elicitation: 'yes', roots: null, extensions: [] }, {}],
  [{ extensions: { 'a/b': { c: 1 } } }, { extensions: { 'a/b': { c: 1 } } }],
  [
    { extensions: { a: 'x'.repeat(4_000) }, elicitation: { form: { a: 'x'.repeat(4_000) } } },
    { elicitation: { form: {} } },
  ],
])('a client that declares %j is told of as %j', (declared, told) => {
  expect(relayedCapabilities(declared)).toEqual(told);
});
