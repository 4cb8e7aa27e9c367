import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRepeatedInTexts } from './same-as-text.js';

test('a long text is compared with a value as a parser would', async () => {
  const filler = 'x'.repeat(140_000);
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.json(), fc.boolean(), async (one, other, pretty) => {
      const value = [JSON.parse(one), filler, { ' k"\\': -0.5e-7, b: [true, null] }];
      const text = JSON.stringify(
        [JSON.parse(other), filler, { ' k"\\': -0.5e-7, b: [true, null] }],
        null,
        pretty ? 2 : 0,
      );
      const isSame = JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
      expect(await isRepeatedInTexts(value, [text])).toBe(isSame);
      expect(await isRepeatedInTexts(value, [JSON.stringify(value, null, pretty ? 2 : 0)])).toBe(true);
      expect(await isRepeatedInTexts(value, [`${JSON.stringify(value)},`])).toBe(false);
      expect(await isRepeatedInTexts(value, [JSON.stringify(value).slice(0, -1)])).toBe(false);
    }),
    { numRuns: 60 },
  );
});
