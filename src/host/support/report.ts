import { arch, release } from 'node:os';
import { VERSION } from '../../base/version.js';
import { findCommand } from '../../edge/processes/find-command.js';
import { maskNamed } from '../../config/edit/mask.js';
import { readDocument } from '../../config/document.js';
import type { HostConfig } from '../../config/load.js';
import { userFile } from '../../config/scopes/user.js';
import { toView } from '../../config/view.js';
import { readServerLog } from '../../connection/logs/server-log.js';
import { ledgerFolder } from '../../guard/ledger-file.js';
import { readLedger } from '../../guard/ledger-read.js';
import type { Finding } from '../diagnosis/finding.js';
import { listFolderTree } from './folder-listing.js';
import { reportRedactor } from './report-redactor.js';

export interface ReportOptions {
  readonly loaded: HostConfig;
  readonly findings: readonly Finding[];
  /** The states of servers that were connected to; undefined when none was started. */
  readonly states: readonly object[] | undefined;
  readonly at: Date;
}

/** The first line of every report. */
export const REPORT_HEADING = '# Plugboard report';

/** Everything that helps to find a fault, without secrets, as one text for people. Never rejects for broken files. */
export async function writeReportText(options: ReportOptions): Promise<string> {
  const { loaded, findings, states, at } = options;
  const { context } = loaded;
  const { state, cache, config } = context.places;
  const sections: readonly Section[] = [
    ['Versions', versions(loaded)],
    ['Findings (plugboard doctor)', findings],
    ['Problems in files', loaded.problems],
    ['Servers', toView(loaded).servers],
    ...(states ? [['States after connecting', states] as const] : []),
    ['Your settings, masked', await maskedSettings(loaded)],
    ['Policies and trust', policies(loaded)],
    ['Last calls, without their content', lastCalls(state)],
    ...serverLogs(loaded),
    ...[config, state, cache].flatMap((folder): Section[] =>
      folder === undefined ? [] : [[`Files in ${folder}`, listFolderTree(folder).join('\n')]],
    ),
  ];
  const redact = reportRedactor(loaded);
  const intro = [
    REPORT_HEADING,
    '',
    `Made by Plugboard ${VERSION} on ${at.toISOString()} for a bug report. It was sent to no one.`,
    'Secrets, your name and your home folder are removed as far as they can be recognized. Names of servers, tools,',
    'folders and URLs stay: read this file before you share it.',
  ];
  const body = sections.map(([heading, content]) => toText([redact(heading), redactAll(content, redact)]));
  return bounded([...intro, ...body].join('\n'));
}

/** Redacts each text of a value: a variable's name behind `"token":` stays where it is no secret. */
function redactAll(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((part) => redactAll(part, redact));
  if (value === null || typeof value !== 'object') return value;
  const plain: object = 'toJSON' in value && typeof value.toJSON === 'function' ? (value.toJSON() as object) : value;
  return Object.fromEntries(Object.entries(plain).map(([key, part]) => [redact(key), redactAll(part, redact)]));
}

type Section = readonly [heading: string, content: unknown];

const REPORT_BYTES = 1_000_000; // more is too large for the text of an issue
const SECTION_CHARACTERS = 150_000; // no server's log pushes out what follows

/** Indented, so that what a server has said cannot end its block or become a heading. */
function toText([heading, content]: Section): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
  const cut = text.length > SECTION_CHARACTERS ? `${text.slice(0, SECTION_CHARACTERS)}\n[cut here]` : text;
  const lines = cut.trim() === '' || cut === '[]' ? ['nothing'] : cut.split('\n');
  return ['', `## ${heading}`, '', ...lines.map((line) => `    ${line.slice(0, LINE_CHARACTERS)}`)].join('\n');
}

const LINE_CHARACTERS = 2000;

function bounded(text: string): string {
  const bytes = Buffer.from(`${text}\n`);
  if (bytes.length <= REPORT_BYTES) return bytes.toString();
  const note = '\n\n[The report was cut here: it is too large]\n';
  return bytes.subarray(0, REPORT_BYTES - note.length).toString() + note;
}

function versions({ context: { env, platform, cwd } }: HostConfig): object {
  const where = { cwd, path: env['PATH'], platform };
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  return {
    plugboard: VERSION,
    node: process.version,
    platform: `${platform} ${release()} ${arch()}`,
    isTerminal: process.stdout.isTTY === true,
    term: env['TERM'] ?? null,
    language: env['LC_ALL'] ?? env['LANG'] ?? null,
    programs: Object.fromEntries(PROGRAMS.map((program) => [program, findCommand(program, where) ?? null])),
    // Only names: a proxy's URL may hold a password.
    variables: Object.keys(env)
      .filter((name) => RELEVANT.test(name) && isSet(name))
      .toSorted()
      .slice(0, VARIABLES_LIMIT),
  };
}

const PROGRAMS = ['node', 'npx', 'npm', 'uvx', 'uv', 'python3', 'docker', 'git', 'bwrap'];
const RELEVANT =
  /^(?:PLUGBOARD_|MCP_|XDG_|NODE_|npm_config_|SSL_|CI$|NO_COLOR$|FORCE_COLOR$|CLAUDE_|CODEX_|.*_proxy$)/iu;
const VARIABLES_LIMIT = 200;

async function maskedSettings({ context }: HostConfig): Promise<unknown> {
  const file = userFile(context);
  const reading = file === undefined ? undefined : await readDocument(file);
  return reading?.kind === 'document' ? (maskNamed(reading.document.value['settings'] ?? {}, 'settings') ?? {}) : {};
}

function policies({ policies: all, lock, trust, permissions }: HostConfig): object {
  return {
    managedBy: lock ?? null,
    policyFiles: all.map(({ file }) => file),
    folder: trust.folder,
    trust: trust.kind,
    rules: permissions.rules.map(({ text, list, source, file }) => ({ rule: text, list, source, file })),
  };
}

const CALLS = 50;

function lastCalls(state: string | undefined): unknown {
  if (state === undefined) return [];
  try {
    return readLedger(ledgerFolder(state), { tail: CALLS }).calls;
  } catch (error) {
    return `The ledger cannot be read: ${error instanceof Error ? error.message : 'unknown error'}`;
  }
}

const LOG_LINES = 60;
const LOGS_LIMIT = 50;

function serverLogs({ servers, context: { places } }: HostConfig): Section[] {
  const { state } = places;
  if (state === undefined) return [];
  const names = [...new Set(servers.map(({ name }) => name))].slice(0, LOGS_LIMIT);
  return names.flatMap((name): Section[] => {
    const configs = servers.filter((server) => server.name === name).map(({ config }) => config);
    try {
      const { lines } = readServerLog({ state, name, configs, reveal: false }, { lines: LOG_LINES, isFollowed: false });
      return lines.length === 0 ? [] : [[`What ${JSON.stringify(name)} said on stderr`, lines.join('\n')]];
    } catch {
      return [[`What ${JSON.stringify(name)} said on stderr`, 'The log cannot be read']];
    }
  });
}
