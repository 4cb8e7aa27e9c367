import * as fc from 'fast-check';
import { parseTree, type ParseError } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { canonicalJson } from '../model/text/canonical-json.js';
import { parseDocument, toValue } from './document.js';

/** The result of the tolerant parser, as the reference for stripping comments and using JSON.parse. */
function reference(text: string): string {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  return errors.length > 0 || tree?.type !== 'object' ? 'refused' : canonicalJson(toValue(tree));
}

async function check(text: string): Promise<void> {
  const reading = await parseDocument(text, 'f');
  expect(reading.kind === 'document' ? canonicalJson(reading.document.value) : 'refused').toBe(reference(text));
}

const pieces = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  '"b\\"c"',
  '1',
  'null',
  '/',
  '*',
  '//x\n',
  '/*y*/',
  '/*',
  '"',
  ' ',
  '\n',
  '\r',
  '\\',
];

test('a text of any pieces is read, or refused, as the tolerant parser does it', async () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => `{${parts.join('')}}`);
  await fc.assert(fc.asyncProperty(texts, check), {
    numRuns: process.env['PLUGBOARD_FULL'] === undefined ? 3_000 : 20_000,
  });
});

test('a sound file stays the same when comments, blanks and trailing commas are put in', async () => {
  const gaps = fc.array(fc.constantFrom('', ' ', '\n', '/* , */', '// ] }\n', '\t', '/**/'), {
    minLength: 60,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), gaps, async (value, fillers) => {
      let used = 0;
      const gap = (): string => fillers[used++ % fillers.length]!;
      const tokens = JSON.stringify(value).match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"]+/gu)!;
      const text = tokens.map((token, index) => {
        const closes = (token === '}' || token === ']') && !['{', '[', ','].includes(tokens[index - 1]!);
        return (closes && used % 3 === 0 ? ',' : '') + gap() + token + gap();
      });
      const reading = await parseDocument(text.join(''), 'f');
      expect(reading.kind === 'document' && canonicalJson(reading.document.value)).toBe(canonicalJson(value));
    }),
  );
});
