import * as fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { openResultScene } from '../../test/result-scene.js';
import { Spilled } from '../model/spilled.js';
import type { JsonObject } from '../base/json.js';
import type { ContentBlock } from '../model/content/content-block.js';
import { imageSize } from './binary/image-header.js';
import { ImageResizer } from './binary/image-resizer.js';
import { isImageType, sniffType } from './binary/sniff-type.js';

type Format = 'png' | 'jpeg' | 'gif' | 'webp';

function paint(width: number, height: number, format: Format, options = {}): Promise<Buffer> {
  const background = { r: 200, g: 30, b: 60, alpha: 1 };
  return sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format, options)
    .toBuffer();
}

/** Noise, which no format compresses. */
function noise(width: number, height: number): Promise<Buffer> {
  return sharp({
    create: { width, height, channels: 3, background: 'white', noise: { type: 'gaussian', mean: 128, sigma: 90 } },
  })
    .png()
    .toBuffer();
}

const block = (bytes: Buffer, mimeType = 'image/png'): ContentBlock => ({
  type: 'image',
  data: bytes.toString('base64'),
  mimeType,
});

const sizeOf = async ({ data }: ContentBlock): Promise<{ width: number; height: number; format: string }> => {
  const { width, height, format } = await sharp(Buffer.from(data as string, 'base64')).metadata();
  return { width, height, format };
};

test.each(['png', 'jpeg', 'gif', 'webp'] as const)('the size of a %s is read from its header', async (format) => {
  const bytes = await paint(123, 45, format);
  const { mimeType } = sniffType(bytes);
  expect(mimeType).toBe(`image/${format}`);
  expect(isImageType(mimeType) && imageSize(bytes, mimeType)).toEqual({ width: 123, height: 45 });
});

test('also of a lossless webp, of one with transparency, and of a photograph that carries data before its header', async () => {
  const alpha = await sharp({ create: { width: 31, height: 17, channels: 4, background: '#ff000080' } })
    .webp()
    .toBuffer();
  expect(imageSize(alpha, 'image/webp')).toEqual({ width: 31, height: 17 });
  expect(imageSize(await paint(33, 9, 'webp', { lossless: true }), 'image/webp')).toEqual({ width: 33, height: 9 });
  const photo = await sharp(await paint(64, 48, 'jpeg'))
    .withExif({ IFD0: { Copyright: 'x'.repeat(40_000) } })
    .jpeg()
    .toBuffer();
  expect(imageSize(photo, 'image/jpeg')).toEqual({ width: 64, height: 48 });
});

test('no header makes it loop, throw or believe in nothing', async () => {
  const real = await Promise.all((['png', 'jpeg', 'gif', 'webp'] as const).map((format) => paint(9, 9, format)));
  fc.assert(
    fc.property(
      fc.constantFrom(...real),
      fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 8 }),
      fc.nat(300),
      (picture, changes, length) => {
        const bytes = Buffer.from(picture.subarray(0, length));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        const { mimeType } = sniffType(bytes);
        const size = isImageType(mimeType) ? imageSize(bytes, mimeType) : undefined;
        expect(size === undefined || (size.width > 0 && size.height > 0)).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a picture of 3000 by 2000 is shown at 2000 by 1333, with the factor and the place of the original', async () => {
  const { shape } = openResultScene();
  const original = await paint(3_000, 2_000, 'png');
  const { content, saved } = await shape({ content: [block(original)] });
  expect(content[0]).toEqual({
    type: 'text',
    text: `[Image: 3000x2000 shown at 2000x1333, multiply coordinates by 1.50; the original is saved to ${saved[0]!.path}]`,
  });
  expect(content[1]).toMatchObject({ type: 'image', mimeType: 'image/jpeg' });
  expect(await sizeOf(content[1]!)).toEqual({ width: 2_000, height: 1_333, format: 'jpeg' });
  expect(readFileSync(saved[0]!.path).equals(original)).toBe(true);
});

test('one that is transparent stays so; one that lay on its side is set upright, and its size told as it is seen', async () => {
  const { shape } = openResultScene();
  const clear = await sharp({ create: { width: 2_500, height: 10, channels: 4, background: '#00ff0040' } })
    .png()
    .toBuffer();
  const lying = await sharp(await paint(3_000, 1_000, 'jpeg'))
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { content } = await shape({ content: [block(clear), block(lying)] });
  expect(content[1]).toMatchObject({ mimeType: 'image/png' });
  expect(content[2]).toMatchObject({
    text: expect.stringMatching(/^\[Image: 1000x3000 shown at 667x2000, multiply coordinates by 1\.50/u),
  });
  expect(await sizeOf(content[3]!)).toEqual({ width: 667, height: 2_000, format: 'jpeg' });
});

test('one with too many bytes is made to fit, whatever it takes', async () => {
  const { shape } = openResultScene();
  const bytes = await noise(600, 600);
  const images = new ImageResizer({ base64Length: 60_000 });
  const { content } = await shape({ content: [block(bytes)] }, { images });
  expect((content[1]!['data'] as string).length).toBeLessThanOrEqual(60_000);
  expect(await sizeOf(content[1]!)).toMatchObject({ format: 'jpeg' });
});

test('one that calls itself something else is shown as what it is', async () => {
  const { shape } = openResultScene();
  const { content } = await shape({ content: [block(await paint(5, 5, 'jpeg'), 'image/png')] });
  expect(content).toMatchObject([{ type: 'image', mimeType: 'image/jpeg' }]);
});

function bomb(side: number): Buffer {
  const header = Buffer.alloc(100);
  header.set(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  header.writeUInt32BE(side, 16);
  header.writeUInt32BE(side, 20);
  return header;
}

test('one of 60,000 by 60,000 in 100 bytes is never unpacked', async () => {
  const { shape } = openResultScene();
  const images = new ImageResizer({}, () => Promise.reject(new Error('it was about to be')));
  const { texts, content, saved } = await shape({ content: [block(bomb(60_000))] }, { images });
  expect(content).toHaveLength(1);
  expect(texts[0]).toBe(
    `[Image from weather] Binary content (image/png, 100 bytes) saved to ${saved[0]!.path} and cannot be shown: 60000x60000 is more than 50 megapixels`,
  );
});

test('one that is damaged is saved, with the reason', async () => {
  const { shape } = openResultScene();
  const { texts } = await shape({ content: [block(bomb(5_000)), block(Buffer.from('ffd8ffe0000100', 'hex'))] });
  expect(texts).toEqual([
    expect.stringMatching(/cannot be shown: 5000x5000, it cannot be made smaller: ./u),
    expect.stringMatching(/image\/jpeg, 7 bytes\) saved to .* cannot be shown: its header is damaged$/u),
  ]);
});

test.each(['png', 'jpeg', 'gif', 'webp'] as const)(
  'a small %s that breaks off is never handed on: the API would refuse the whole conversation',
  async (format) => {
    const { shape } = openResultScene();
    const whole = await paint(60, 60, format);
    for (const share of [0.5, 0.9, 0.99]) {
      const { content } = await shape({ content: [block(whole.subarray(0, Math.floor(whole.length * share)))] });
      // sharp re-encodes what it can still decode.
      const shown = content.filter(({ type }) => type === 'image');
      expect(await Promise.all(shown.map(isDecodable))).not.toContain(false);
    }
    expect((await shape({ content: [block(whole)] })).content).toMatchObject([{ data: whole.toString('base64') }]);
  },
);

const isDecodable = ({ data }: ContentBlock): Promise<boolean> =>
  sharp(Buffer.from(data as string, 'base64'), { failOn: 'warning' })
    .stats()
    .then(
      () => true,
      () => false,
    );

test('without sharp a large one is saved, with how to install it; a small one is shown', async () => {
  const { shape } = openResultScene();
  const { HostError } = await import('../base/errors.js');
  const missing = new HostError('unsupported', 'making pictures smaller needs the package sharp', {
    hint: 'npm install sharp',
  });
  const images = new ImageResizer({}, () => Promise.reject(missing));
  const { content } = await shape(
    { content: [block(await paint(2_001, 5, 'png')), block(await paint(5, 5, 'png'))] },
    { images },
  );
  expect(content).toMatchObject([
    {
      type: 'text',
      text: expect.stringMatching(/saved to .* cannot be shown: 2001x5, .* sharp \(npm install sharp\)$/u),
    },
    { type: 'image' },
  ]);
});

test('of thirty pictures twenty are shown, and the others saved', async () => {
  const { shape } = openResultScene();
  const one = block(await paint(5, 5, 'gif'), 'image/gif');
  const { content, saved } = await shape({ content: Array.from({ length: 30 }, () => one) });
  expect([content.filter(({ type }) => type === 'image').length, content.length, saved.length]).toEqual([20, 30, 10]);
});

test('one that the wire has put in a file is shown from there', async () => {
  const { shape, root } = openResultScene();
  const spill = async (name: string, side: number): Promise<JsonObject> => {
    const encoded = (await paint(side, side, 'png')).toString('base64');
    writeFileSync(join(root, name), encoded);
    const data = new Spilled({
      kind: 'text',
      bytes: encoded.length,
      place: join(root, name),
      preview: encoded.slice(0, 2_048),
    });
    return { type: 'image', mimeType: 'image/png', data };
  };
  const { content, saved } = await shape({ content: [await spill('small', 40), await spill('large', 2_400)] });
  expect(content.map(({ type }) => type)).toEqual(['image', 'text', 'image']);
  expect(await sizeOf(content[0]!)).toMatchObject({ width: 40 });
  expect(await sizeOf(content[2]!)).toMatchObject({ width: 2_000 });
  expect(saved.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'image/png']);
});
