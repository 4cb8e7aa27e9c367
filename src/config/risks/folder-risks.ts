import { existsSync, opendirSync } from 'node:fs';
import { join } from 'node:path';

/** What in these folders can change what a command started there does: names, and counts. */
export function folderRisks(folders: readonly string[]): readonly string[] {
  const found = new Map<string, number>();
  const count = (risk: string): void => void found.set(risk, (found.get(risk) ?? 0) + 1);
  for (const folder of folders.slice(0, FOLDERS_LIMIT)) {
    // Looked up one by one, so that ten thousand other files cannot hide them.
    for (const name of RISKS) if (existsSync(join(folder, name))) count(name);
    for (const name of namesIn(folder)) {
      if (/\.(?:pyc?|so)$/u.test(name)) count('Python files');
      else if (/^\.env(?:\.[\w.-]+)?$/u.test(name)) count('.env');
    }
  }
  return [...found].map(([risk, times]) => (times === 1 ? risk : `${risk} (${times})`)).toSorted();
}

/** Files that the programs which start servers read, from the working directory or above it. */
const RISKS: ReadonlySet<string> = new Set(
  `
    node_modules .npmrc package.json .yarnrc.yml .yarnrc .pnpmfile.cjs pnpm-workspace.yaml
    bunfig.toml deno.json deno.jsonc tsconfig.json .nvmrc .node-version
    pyproject.toml uv.toml setup.cfg pip.conf .python-version .venv venv
    .envrc .tool-versions mise.toml .mise.toml Gemfile .ruby-version compose.yaml docker-compose.yml
  `
    .trim()
    .split(/\s+/u),
);

function namesIn(folder: string): readonly string[] {
  const names: string[] = [];
  try {
    const entries = opendirSync(folder);
    try {
      for (let entry = entries.readSync(); entry && names.length < NAMES_LIMIT; entry = entries.readSync()) {
        names.push(entry.name);
      }
    } finally {
      entries.closeSync();
    }
  } catch {
    return names; // single names were looked up already
  }
  return names;
}

const FOLDERS_LIMIT = 64;
const NAMES_LIMIT = 10_000; // per folder, enough for an overview
