import { dirname, join } from 'node:path';
import { isObject, parseJson } from '../../base/json.js';
import { fileHead } from '../../edge/files/file-head.js';
import { isThere } from '../../edge/files/folders.js';

export interface PackageRoot {
  readonly folder: string;
  /** Whether package.json lists this package as a dependency. */
  readonly lists: (name: string) => boolean;
  readonly canBuild: boolean;
}

/** The package of the nearest package.json above a file, at most eight folders up; undefined when none can be read. */
export function packageRootOf(file: string): PackageRoot | undefined {
  let folder = dirname(file);
  for (let steps = 0; steps < STEPS && dirname(folder) !== folder; steps++, folder = dirname(folder)) {
    const text = fileHead(join(folder, 'package.json'), SIZE_LIMIT)?.toString('utf8');
    if (text !== undefined) return toRoot(folder, text);
  }
  return undefined;
}

const STEPS = 8;
const SIZE_LIMIT = 262_144;

function toRoot(folder: string, text: string): PackageRoot | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].map(
    (key) => value[key],
  );
  const { scripts } = value;
  return {
    folder,
    lists: (name) => groups.some((group) => isObject(group) && Object.hasOwn(group, name)),
    canBuild: isObject(scripts) && typeof scripts['build'] === 'string',
  };
}

/** Whether the script itself contains this name; otherwise only an untrusted message claims that it is needed. */
export function mentions(script: string, name: string): boolean {
  return fileHead(script, SIZE_LIMIT)?.includes(name) === true;
}

/** The nearest folder above a script, at most eight up, with a virtual environment, a uv.lock or requirements.txt. */
export function pythonHomeOf(
  script: string,
): { readonly folder: string; readonly kind: 'venv' | 'uv' | 'requirements'; readonly path: string } | undefined {
  let folder = dirname(script);
  for (let steps = 0; steps < STEPS && dirname(folder) !== folder; steps++, folder = dirname(folder)) {
    const venv = ['.venv', 'venv'].map((name) => join(folder, name, 'bin', 'python')).find((path) => isThere(path));
    if (venv !== undefined) return { folder, kind: 'venv', path: venv };
    if (isThere(join(folder, 'uv.lock'))) return { folder, kind: 'uv', path: folder };
    const requirements = join(folder, 'requirements.txt');
    if (isThere(requirements)) return { folder, kind: 'requirements', path: requirements };
  }
  return undefined;
}
