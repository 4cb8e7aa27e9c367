import { opendirSync } from 'node:fs';
import type { FolderReach } from '../edge/folder-reach.js';

/** What in a folder can change what a command means that is started there: names, and how many there are of a kind. */
export function folderRisks({ levels }: Pick<FolderReach, 'levels'>): readonly string[] {
  const found = new Map<string, number>();
  for (const level of levels.slice(0, LEVELS_LIMIT)) {
    for (const name of namesIn(level)) {
      const risk = riskOf(name);
      if (risk !== undefined) found.set(risk, (found.get(risk) ?? 0) + 1);
    }
  }
  return [...found].map(([risk, count]) => (count === 1 ? risk : `${risk} (${count})`)).toSorted();
}

function riskOf(name: string): string | undefined {
  if (RISKS.has(name)) return name;
  if (/\.pyc?$/u.test(name)) return 'Python files';
  return /^\.env(?:\.[\w.-]+)?$/u.test(name) ? '.env' : undefined;
}

/** Read by the programs that start servers, from the working directory or above it. */
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
    return names; // what cannot be listed can still be asked about
  }
  return names;
}

const LEVELS_LIMIT = 64;
const NAMES_LIMIT = 10_000; // of one folder: enough to see what is there
