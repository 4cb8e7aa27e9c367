import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

/** Packs the built package and installs it as a user would, into a folder. Returns the program's file. */
export function installPacked(folder: string): string {
  const source = resolve(import.meta.dirname, '../..');
  const quiet = { encoding: 'utf8' as const, stdio: 'pipe' as const };
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: source, ...quiet })) as [
    { readonly filename: string },
  ];
  const install = ['install', '--prefix', folder, '--omit=optional', '--no-audit', '--no-fund', join(folder, filename)];
  execFileSync('npm', install, { cwd: folder, ...quiet });
  return join(folder, 'node_modules/.bin/plugboard');
}
