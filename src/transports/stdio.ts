import type { Secret } from '../base/secret.js';
import {
  commonFields,
  defined,
  isObject,
  missing,
  readCommon,
  readFields,
  reportUnknown,
  toSecrets,
} from './fields.js';
import type { CommonConfig, FieldIssue, RawEntry, TransportKind } from './kind.js';

export interface StdioConfig extends CommonConfig {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, Secret>>;
  readonly cwd?: string;
  readonly inheritEnv?: true | readonly string[];
  readonly sandbox?: true | SandboxConfig;
}

export interface SandboxConfig {
  readonly network?: boolean;
  readonly write?: readonly string[];
  readonly memoryMb?: number;
  readonly processes?: number;
}

const sandboxFields = ['network', 'write', 'memoryMb', 'processes'];

/** A child process that speaks MCP on its stdin and stdout. */
export const stdio: TransportKind<StdioConfig> = {
  type: 'stdio',
  aliases: [],
  label: 'stdio',
  locality: 'local',
  origin: 'anyone',
  fields: [...commonFields, 'command', 'args', 'env', 'cwd', 'inheritEnv', 'sandbox'],
  parse(raw, report) {
    let sound = true;
    const tell = (issue: FieldIssue): void => {
      sound &&= issue.severity !== 'error';
      report(issue);
    };
    const fields = readFields(raw, tell);
    const command = fields.string('command');
    if (!fields.has('command')) missing(raw, 'command', tell);
    else if (command?.trim() === '') tell({ severity: 'error', path: ['command'], message: 'is empty' });
    const config: StdioConfig = {
      type: 'stdio',
      ...readCommon(fields),
      command: command ?? '',
      args: fields.strings('args') ?? [],
      env: toSecrets(fields.record('env') ?? {}),
      ...defined('cwd', fields.string('cwd')),
      ...defined('inheritEnv', readInheritEnv(raw, tell)),
      ...defined('sandbox', readSandbox(raw, tell)),
    };
    checkNul(config, tell);
    return sound ? config : undefined;
  },
  check() {},
  target: ({ command, args, cwd }) => ({ kind: 'command', argv: [command, ...args], ...defined('cwd', cwd) }),
};

function readInheritEnv(raw: RawEntry, report: (issue: FieldIssue) => void): true | readonly string[] | undefined {
  const value = raw['inheritEnv'];
  if (value === undefined || value === false) return undefined;
  if (value === true) return true;
  return readFields(raw, (issue) =>
    report({ ...issue, message: 'expected true or an array of variable names' }),
  ).strings('inheritEnv');
}

function readSandbox(raw: RawEntry, report: (issue: FieldIssue) => void): true | SandboxConfig | undefined {
  const value = raw['sandbox'];
  if (value === undefined || value === false) return undefined;
  if (value === true) return true;
  if (!isObject(value)) {
    report({ severity: 'error', path: ['sandbox'], message: 'expected true or an object' });
    return undefined;
  }
  const fields = readFields(value, report, ['sandbox']);
  // A misspelt limit would be a sandbox weaker than the one that was asked for.
  reportUnknown(value, sandboxFields, (issue) => report({ ...issue, severity: 'error' }), ['sandbox']);
  return {
    ...defined('network', fields.boolean('network')),
    ...defined('write', fields.strings('write')),
    ...defined('memoryMb', fields.integer('memoryMb', { min: 16, max: 1_048_576 })),
    ...defined('processes', fields.integer('processes', { min: 1, max: 1_000_000 })),
  };
}

/** No operating system takes a NUL in an argument: better told here than by a spawn that throws. */
function checkNul(config: StdioConfig, report: (issue: FieldIssue) => void): void {
  const parts: [string[], string][] = [
    [['command'], config.command],
    [['cwd'], config.cwd ?? ''],
  ];
  config.args.forEach((argument, index) => parts.push([['args', String(index)], argument]));
  for (const [name, value] of Object.entries(config.env)) parts.push([['env', name], name + value.reveal()]);
  for (const [path, text] of parts) {
    if (text.includes('\0')) report({ severity: 'error', path, message: 'holds a NUL character' });
  }
}
