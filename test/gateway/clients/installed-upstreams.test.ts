import { beforeAll, describe, test } from 'vitest';
import { INSTALL_LIMIT, installServers } from '../../real-servers/install-servers.js';
import { isServing } from '../start-gateway.js';
import { checkSame, overHttp, overStdioAmongAll, ways } from './comparison.js';
import { mongodb } from './mongodb.js';
import { findBrowser, playwright, servePage } from './playwright.js';
import { sdk1, sdk2, sdk2Legacy } from './sdk-clients.js';
import type { Upstream } from './upstreams.js';

// Published servers that are too large to be dependencies of Plugboard, and what they need of this machine.

const isFull = process.env['PLUGBOARD_FULL'] !== undefined;
const all = [sdk1, sdk2Legacy, sdk2].flatMap((kind) => ways.map((way) => [kind.name, way.name, kind, way] as const));
const some = all.filter(([, , , way]) => way === overHttp || way === overStdioAmongAll);
const browser = findBrowser();
const noBrowser = playwright('http://127.0.0.1:9/', undefined);
const database = process.env['PLUGBOARD_MONGODB'];
// In 2026-07-28 this server asks nobody before it deletes, so each era is compared with its own.
const modern = mongodb('modern', database);
const legacy = mongodb('legacy', database);

describe.skipIf(!isServing || !isFull)('servers that npm run test:full installs', () => {
  beforeAll(installServers, INSTALL_LIMIT);

  describe.skipIf(browser === undefined)(`@playwright/mcp with ${browser ?? 'Chromium: apt install chromium'}`, () => {
    let upstream: Upstream;
    beforeAll(async () => {
      const page = await servePage();
      upstream = playwright(page.url, browser);
      return () => page[Symbol.asyncDispose]();
    });
    test.each(all)('gives %s %s what it gives directly', (_kind, _way, kind, way) => checkSame(upstream, kind, way));
  });

  test.each(some.filter(([, , kind]) => kind !== sdk2Legacy))(
    '@playwright/mcp without a browser gives %s %s the errors that it gives directly',
    (_kind, _way, kind, way) => checkSame(noBrowser, kind, way),
  );

  describe.each([
    [modern.name, modern, all],
    [legacy.name, legacy, some],
  ] as const)('%s', (_, upstream, cases) => {
    test.each(cases)('gives %s %s what it gives directly', (_kind, _way, kind, way) => checkSame(upstream, kind, way));
  });
});
