import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

export interface FindCommandOptions {
  /** Base of a relative path. */
  readonly cwd: string;
  readonly path: string | undefined;
  readonly platform: NodeJS.Platform;
}

/**
 * Returns the absolute path of a command; undefined when there is none. Skips an empty or relative part of PATH: a
 * repository must not get its own `node` started by being the working directory.
 */
export function findCommand(command: string, { cwd, path, platform }: FindCommandOptions): string | undefined {
  if (command === '' || command.includes('\0')) return undefined;
  const suffixes = platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : [''];
  const candidates = /[/\\]/u.test(platform === 'win32' ? command : command.replaceAll('\\', ''))
    ? [resolve(cwd, command)]
    : (path ?? '')
        .split(delimiter)
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, command));
  for (const candidate of candidates) {
    const found = suffixes.map((suffix) => candidate + suffix).find((file) => isProgram(file, platform));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isProgram(file: string, platform: NodeJS.Platform): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    if (platform !== 'win32') accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // absent, or not executable for this user
  }
}
