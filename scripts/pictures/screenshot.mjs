// A PNG of an HTML page, by a headless Chromium with an empty profile.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const SCALE = 2; // sharp on dense displays
const COLOURS = 64; // a terminal has few, and their blends at the edges of letters

/** The name of the installed Chromium, or undefined. */
export function findChromium() {
  return ['chromium', 'chromium-browser', 'google-chrome'].find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  );
}

/** Writes the page as a PNG with a palette, which is a third of the size. Resolves with the bytes. */
export async function takeScreenshot({ chromium, html, size, folder, file }) {
  const [page, raw, profile] = ['page.html', 'page.png', 'chromium'].map((name) => join(folder, name));
  mkdirSync(profile, { recursive: true });
  writeFileSync(page, html);
  const flags = [
    '--headless',
    '--no-sandbox', // the page is ours, without scripts, and containers seldom allow the sandbox
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
    '--hide-scrollbars',
    `--user-data-dir=${profile}`,
    `--force-device-scale-factor=${SCALE}`,
    `--window-size=${size.width},${size.height}`,
    `--screenshot=${raw}`,
    `file://${page}`,
  ];
  const env = { PATH: process.env.PATH, HOME: folder };
  execFileSync(chromium, flags, { env, stdio: 'ignore', timeout: 120_000 });
  const bytes = await sharp(readFileSync(raw))
    .extract({ left: 0, top: 0, width: size.width * SCALE, height: size.height * SCALE })
    .png({ palette: true, colours: COLOURS, dither: 0, compressionLevel: 9 })
    .toBuffer();
  writeFileSync(file, bytes);
  return bytes;
}
