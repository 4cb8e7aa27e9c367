import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/attempt.js';

/** The files below a folder with size, mode and time, without their content; bounded. */
export function listFolderTree(folder: string, depth = DEPTH): readonly string[] {
  const lines: string[] = [];
  walk(folder, { below: '', depth, lines });
  return lines.length > FILES_LIMIT ? [...lines.slice(0, FILES_LIMIT), '...'] : lines;
}

const DEPTH = 3; // deeper are saved results, one folder for each
const FILES_LIMIT = 200;

interface Walk {
  readonly below: string;
  readonly depth: number;
  readonly lines: string[];
}

function walk(folder: string, { below, depth, lines }: Walk): void {
  const names = attempt(() => readdirSync(join(folder, below)).toSorted()) ?? [];
  for (const name of names) {
    if (lines.length > FILES_LIMIT) return;
    const path = join(below, name);
    const stats = attempt(() => lstatSync(join(folder, path)));
    if (!stats) continue;
    const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
    const what = stats.isDirectory() ? 'folder' : stats.isFile() ? `${stats.size} B` : 'other';
    lines.push(`${mode} ${stats.mtime.toISOString()} ${what.padStart(10)} ${path}`);
    if (stats.isDirectory() && depth > 1) walk(folder, { below: path, depth: depth - 1, lines });
  }
}
