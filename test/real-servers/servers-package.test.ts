import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVERS } from './installed-server.js';
import { installedServers } from './installed-servers.js';

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(SERVERS, name), 'utf8'));

test('test/servers pins every server that the tests connect to', () => {
  const { dependencies } = readJson('package.json') as { dependencies: Record<string, string> };
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const missing = installedServers.filter(({ packageName }) => dependencies[packageName] === undefined);
  expect(missing).toEqual([]);
});

test('the lock of test/servers can be installed from any registry, and says what has to arrive', () => {
  const { packages } = readJson('package-lock.json') as { packages: Record<string, Record<string, unknown>> };
  const { '': own, ...others } = packages;
  expect(own).toMatchObject({ dependencies: (readJson('package.json') as { dependencies: object }).dependencies });
  const wrong = Object.entries(others).filter(
    ([, entry]) => 'resolved' in entry || typeof entry['integrity'] !== 'string',
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
});

test('there are servers of every revision', () => {
  const revisions = new Set(installedServers.flatMap(({ modern, legacy }) => [modern ?? legacy, legacy]));
  expect([...revisions].toSorted()).toEqual(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']);
});
