import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { UncheckedBlock } from '../../model/screen-image.js';
import { toPixels, toPng, toScreenImage } from './screen-image.js';

function block(bytes: Buffer, mimeType = 'image/png'): UncheckedBlock {
  return { type: 'image', data: bytes.toString('base64'), mimeType };
}

function paint(width: number, height: number): ReturnType<typeof sharp> {
  return sharp({ create: { width, height, channels: 3, background: '#c81e3c' } });
}

async function check(given: UncheckedBlock, expected: object | undefined): Promise<void> {
  const image = await toScreenImage(given);
  expect(image && { type: image.type, width: image.width, height: image.height }).toEqual(expected);
}

test('an image is what its header says, not what the server calls it', async () => {
  await check(block(await paint(40, 30).png().toBuffer()), { type: 'image/png', width: 40, height: 30 });
  await check(block(await paint(40, 30).jpeg().toBuffer()), { type: 'image/jpeg', width: 40, height: 30 });
  await check(block(await paint(4096, 1).png().toBuffer(), 'text/plain'), {
    type: 'image/png',
    width: 4096,
    height: 1,
  });
});

/** A PNG whose header states this size, whatever its data is. */
async function lying(width: number, height: number): Promise<Buffer> {
  const bytes = await paint(8, 8).png().toBuffer();
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

test('too large, broken off, or no image at all: a terminal gets nothing of it', async () => {
  await check(block(await paint(4097, 1).png().toBuffer()), undefined);
  await check(block(await lying(60_000, 60_000)), undefined);
  await check(block(await lying(0, 8)), undefined);
  await check(block((await paint(8, 8).png().toBuffer()).subarray(0, -13)), undefined);
  await check(block(Buffer.from('\u001B]0;owned\u0007\u001B[2J', 'latin1')), undefined);
  await check(block(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'), undefined);
  await check({ type: 'image', mimeType: 'image/png', data: '\u001B_Ga=T;AAAA\u001B\\' }, undefined);
  await check({ type: 'image', mimeType: 'image/png', data: 7 }, undefined);
  await check({ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }, undefined);
  const whole = await paint(8, 8).png().toBuffer();
  const padded = Buffer.concat([whole, Buffer.alloc(5_000_001 - whole.length)]);
  await check(block(padded), undefined);
  await check(block(padded.subarray(0, 5_000_000)), { type: 'image/png', width: 8, height: 8 });
});

test('an image that cannot be decoded is not converted, and nothing fails', async () => {
  const image = (await toScreenImage(block(await lying(4_000, 4_000))))!;
  expect(await toPixels(image, { width: 100, height: 100 })).toBeUndefined();
  expect(await toPng({ ...image, type: 'image/webp' })).toBeUndefined();
});

test('pixels have few colours, keep their place, and transparent ones are none', async () => {
  const half = sharp({ create: { width: 2, height: 4, channels: 4, background: '#00ff00ff' } }).png();
  const bytes = await sharp({ create: { width: 4, height: 4, channels: 4, background: '#00000000' } })
    .composite([{ input: await half.toBuffer(), left: 0, top: 0 }])
    .png()
    .toBuffer();
  const pixels = (await toPixels((await toScreenImage(block(bytes)))!, { width: 4, height: 4 }))!;
  expect(pixels.palette).toEqual([[0, 255, 0]]);
  expect([...pixels.indexes.subarray(0, 4)]).toEqual([1, 1, 0, 0]);
});
