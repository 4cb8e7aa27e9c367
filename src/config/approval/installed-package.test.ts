import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../../test/house.js';
import { installedPackage } from './installed-package.js';

/** A project with `@scope/tool` 1.2.3 in it, and `top` 2.0.0 in a folder above. */
function fill(): House {
  const house = openHouse();
  const modules = join(house.project, 'node_modules');
  house.write(join(modules, '@scope/tool/package.json'), { name: '@scope/tool', version: '1.2.3' });
  house.write(join(modules, '@scope/tool/dist/index.js'), '');
  house.write(join(modules, 'odd/package.json'), '{"name":"odd","version":7}');
  house.write(join(modules, 'broken/package.json'), '{"name"');
  house.write(join(modules, '.package-lock.json'), {
    packages: { 'node_modules/@scope/tool': { version: '1.2.3', integrity: 'sha512-abc' } },
  });
  house.write(join(dirname(house.project), 'node_modules/top/package.json'), { name: 'top', version: '2.0.0' });
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync('../@scope/tool/dist/index.js', join(modules, '.bin/tool'));
  return house;
}

const tool = { name: '@scope/tool', version: '1.2.3', integrity: 'sha512-abc' };
const top = { name: 'top', version: '2.0.0' };

test.each<[object, object | undefined]>([
  [{ command: 'npx', args: ['@scope/tool'] }, tool],
  [{ command: 'npx', args: ['-y', '@scope/tool@latest', '--flag'] }, tool],
  [{ command: '/usr/bin/npx', args: ['--yes', '--package=@scope/tool', 'other'] }, tool],
  [{ command: 'npx', args: ['-p', '@scope/tool', 'other'] }, tool],
  [{ command: 'npx', args: ['-y', '@scope/tool@1.2.3'] }, tool],
  [{ command: 'npx', args: ['-y', '@scope/tool@1.2.4'] }, undefined],
  [{ command: 'npx', args: ['-y', 'top'] }, top],
  [{ command: 'bunx', args: ['top'] }, top],
  [{ command: 'npx', args: ['-c', 'top'] }, undefined],
  [{ command: 'npx', args: ['-y'] }, undefined],
  [{ command: 'npx', args: ['absent'] }, undefined],
  [{ command: 'npx', args: ['odd'] }, undefined],
  [{ command: 'npx', args: ['broken'] }, undefined],
  [{ command: 'npx', args: ['../../etc'] }, undefined],
  [{ command: 'npx', args: ['@scope/..'] }, undefined],
  [{ command: 'npx', args: ['github:who/what'] }, undefined],
  [{ command: 'node', args: ['node_modules/@scope/tool/dist/index.js'] }, tool],
  [{ command: 'node', args: ['--no-warnings', './node_modules/@scope/tool/dist/index.js'] }, tool],
  [{ command: './node_modules/.bin/tool' }, tool],
  [{ command: 'node', args: ['dist/index.js'], cwd: 'node_modules/@scope/tool' }, tool],
  [{ command: 'node', args: ['server.js'] }, undefined],
  [{ command: 'node', args: ['node_modules'] }, undefined],
  [{ command: 'tool' }, undefined],
  [{ url: 'https://example.com/mcp' }, undefined],
])('of %j the package is %j', async (entry, expected) => {
  using house = fill();
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: entry } });
  const { servers, context } = await house.load({ approveProject: true });
  expect(installedPackage(servers[0]!, context.cwd)).toEqual(expected);
});
