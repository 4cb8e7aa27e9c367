import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isServing, startGateway, startProgram, suiteUpstream } from '../start-gateway.js';
import { askFromPython, hasInspector, hasPython, inspect, installClients } from './installed.js';

const isFull = process.env['PLUGBOARD_FULL'] !== undefined;
const INSTALL_LIMIT = 900_000;
const eras = ['legacy', 'modern'] as const;
const why = ' (npm run test:full installs it)';

describe.skipIf(!isServing || (!isFull && !(hasInspector() && hasPython())))(
  `clients that are not on npm${why}`,
  () => {
    beforeAll(async () => {
      if (isFull) await installClients();
    }, INSTALL_LIMIT);

    // The Inspector declares its own capabilities, and answers no questions: it only lists, reads and calls.
    test.each(eras)('the Inspector is told the same by a %s server through the gateway', async (era) => {
      const { direct, gateway } = await open(era);
      const requests = [
        ['--method', 'resources/read', '--uri', 'test://static-text'],
        ['--method', 'prompts/get', '--prompt-name', 'test_simple_prompt'],
        ['--method', 'tools/call', '--tool-name', 'test_multiple_content_types'],
        ['--method', 'tools/call', '--tool-name', 'test_structured_content', '--tool-args-json', '{"count":3}'],
        ['--method', 'resources/templates/list'],
      ];
      for (const request of requests) {
        const wanted = strip(await inspect(direct, era, request));
        for (const own of eras) expect(strip(await inspect(gateway, own, request))).toEqual(wanted);
      }
    });

    test.each(eras)('the Python client is told and asked the same by a %s server through the gateway', async (era) => {
      if (!hasPython()) return;
      const { direct, gateway } = await open(era);
      const wanted = await askFromPython(direct, 'auto');
      for (const mode of ['legacy', '2026-07-28', 'auto']) expect(await askFromPython(gateway, mode)).toEqual(wanted);
    });
  },
);

async function open(era: 'legacy' | 'modern'): Promise<{ direct: string; gateway: string }> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-clients-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const upstream = await startProgram([...suiteUpstream(era), '--http', '0'], home);
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  const direct = `http://127.0.0.1:${upstream.line}/mcp`;
  const gateway = await startGateway({ home, servers: { upstream: { type: 'http', url: direct } } });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  return { direct, gateway: `${gateway.origin}/mcp/upstream` };
}

/** Without what belongs to a revision, or to the gateway. */
function strip(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner: unknown) => (LEFT_OUT.has(key) ? undefined : inner));
  return JSON.parse(text);
}

const LEFT_OUT = new Set(['_meta', 'ttlMs', 'cacheScope', 'resultType', 'nextCursor', 'durationMs']);
