import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test/any-character.js';
import { openResultScene } from '../../test/result-scene.js';
import type { JsonObject } from '../base/json.js';

const RUNS = process.env['PLUGBOARD_FULL'] ? 5_000 : 60;

/** What must never reach a reader: controls but tab and newline, bidi, zero-width spaces, tags, lone surrogates. */
const HIDDEN = /(?![\n\t])\p{Cc}|[\u200b\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

test('the property would see what it looks for', () => {
  for (const hidden of ['\u001b', '\r', '\u009b', '\u202e', '\u{e0041}', '\ud800', '\udc00', '\u200b']) {
    expect(`a${hidden}b`).toMatch(HIDDEN);
  }
  expect('a\n\tb é 東 👩').not.toMatch(HIDDEN);
});

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 12, unit: anyCharacter }),
      fc.constantFrom(
        '\u001b[2J',
        '\u001b]0;x\u0007',
        '\u009b31m',
        '\u202e',
        '\u{e0041}',
        '\ud800',
        '\udc00',
        '\u200b',
        '\r\n',
        '\u2028',
        '{"a":',
      ),
      fc.string({ maxLength: 20 }),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(''));

const binary = fc.oneof(
  nasty,
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.constantFrom(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    Buffer.from('GIF89a\u0005\0\u0005\0').toString('base64'),
  ),
  fc.constant(undefined),
);

const annotations = fc.oneof(fc.constant({}), fc.constant({ annotations: { audience: ['user'] } }));
const plain = fc.record({ type: fc.constant('text'), text: nasty });
const blocks = fc.oneof(
  plain,
  fc.record({ type: fc.constantFrom('image', 'audio'), data: binary, mimeType: nasty }),
  fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: nasty, mimeType: nasty, text: nasty }) }),
  fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: nasty, blob: binary }) }),
  fc.record({ type: fc.constant('resource_link'), uri: nasty, name: nasty, description: nasty }),
  fc.record({ type: nasty, [`x\u001b[2J`]: nasty }),
);
const annotated = fc.tuple(blocks, annotations).map(([block, more]): JsonObject => ({ ...block, ...more }));

function isBinary({ type }: JsonObject): boolean {
  return type === 'image' || type === 'audio';
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === 'data' || key === 'blob' ? [key] : [key, ...stringsOf(one)],
  );
}

test('whatever a server says, nothing hidden reaches a reader, and no limit is passed', async () => {
  const { shape } = openResultScene();
  await fc.assert(
    fc.asyncProperty(
      fc.array(annotated, { maxLength: 6 }),
      fc.option(fc.jsonValue({ stringUnit: 'binary' }), { nil: undefined }),
      fc.constantFrom(20, 200, 25_000),
      async (content, structuredContent, tokenLimit) => {
        const shaped = await shape(
          { content, ...(structuredContent !== undefined && { structuredContent }) },
          { tokenLimit },
        );
        const { texts, files, content: shown, forUser, notes, structuredContent: value } = shaped;
        for (const one of [...stringsOf([shown, forUser, notes, value]), ...texts]) expect(one).not.toMatch(HIDDEN);
        const json = shaped.saved.flatMap(({ mimeType }, at) => (mimeType === 'application/json' ? [files[at]!] : []));
        for (const one of json) expect(one).not.toMatch(HIDDEN);
        expect(shown.length).toBeGreaterThan(0);
        expect(shown.every(({ type }) => type === 'text' || type === 'image')).toBe(true);
      },
    ),
    { numRuns: RUNS },
  );
});

test('every block is accounted for: shown, named, saved, or set apart for the user', async () => {
  const { shape } = openResultScene();
  const marked = fc.array(annotated, { maxLength: 8 }).map((content) =>
    content.map((block, index): JsonObject => {
      const mark = `mark${index}end`;
      if (block['type'] === 'text') return { ...block, text: mark };
      if (block['type'] === 'resource_link') return { ...block, uri: mark };
      return block['type'] === 'resource'
        ? { ...block, resource: { ...(block['resource'] as object), uri: mark } }
        : block;
    }),
  );
  await fc.assert(
    fc.asyncProperty(marked, fc.constantFrom(20, 25_000), async (content, tokenLimit) => {
      const { content: shown, forUser = [], files } = await shape({ content }, { tokenLimit });
      const all = JSON.stringify([shown, forUser, files]);
      const marks = new Set(content.flatMap((block) => JSON.stringify(block).match(/mark\d+end/u) ?? []));
      for (const mark of marks) expect(all).toContain(mark);
      const binaries = content.filter((block) => isBinary(block) && !('annotations' in block)).length;
      const told = shown.filter(({ type, text }) => type === 'image' || /^\[(?:Image|Audio) from /u.test(String(text)));
      const pictures = content.filter(
        ({ type, resource }) => type === 'resource' && 'blob' in (resource as object),
      ).length;
      expect(told.length).toBeGreaterThanOrEqual(binaries);
      expect(told.length).toBeLessThanOrEqual(binaries + pictures);
      expect(forUser).toHaveLength(content.filter((block) => 'annotations' in block).length);
    }),
    { numRuns: RUNS },
  );
});
