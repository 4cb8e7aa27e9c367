import type { Secret } from '../../base/secret.js';
import { COMMON_FIELDS, STDIO_FIELDS } from '../entry-fields.js';
import { defined, type Fields, readCommon, readSecrets, readString, readStrings, requireString } from '../fields.js';
import type { SandboxSettings } from '../../edge/sandbox/sandbox.js';
import type { CommonConfig, FieldIssue, RawEntry, TransportKind } from '../kind.js';
import { parseSandbox } from './sandbox-fields.js';

export interface StdioConfig extends CommonConfig {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, Secret>>;
  readonly cwd?: string;
  readonly inheritEnv?: true | readonly string[];
  readonly sandbox?: true | SandboxSettings;
}

const TABLE = { ...COMMON_FIELDS, ...STDIO_FIELDS };

/** A child process that speaks MCP on its stdin and stdout. */
export const stdio: TransportKind<StdioConfig> = {
  type: 'stdio',
  aliases: [],
  label: 'stdio',
  locality: 'local',
  origin: 'anyone',
  probes: true,
  supportsSignIn: false,
  table: TABLE,
  fields: ['type', ...Object.keys(TABLE)],
  parse(raw, report) {
    const fields: Fields = { raw, report, base: [] };
    const config: StdioConfig = {
      type: 'stdio',
      ...readCommon(fields),
      command: requireString(fields, 'command'),
      args: readStrings(fields, 'args') ?? [],
      env: readSecrets(fields, 'env') ?? {},
      ...defined('cwd', readString(fields, 'cwd')),
      ...defined('inheritEnv', readInheritEnv(raw, report)),
      ...defined('sandbox', parseSandbox(raw['sandbox'], report, 'sandbox')),
    };
    checkNul(config, report);
    return config;
  },
  check() {},
  target: ({ command, args, cwd }) => ({ kind: 'command', argv: [command, ...args], ...defined('cwd', cwd) }),
  sandboxOf: ({ sandbox }) => (sandbox === true ? {} : sandbox),
  confine: (config, settings) => ({ ...config, sandbox: Object.keys(settings).length === 0 ? true : settings }),
  open: async (config, context) => (await import('./open-stdio.js')).openStdio(config, context),
};

function readInheritEnv(raw: RawEntry, report: (issue: FieldIssue) => void): true | readonly string[] | undefined {
  const value = raw['inheritEnv'];
  if (value === undefined || value === false) return undefined;
  if (value === true) return true;
  const tell = (issue: FieldIssue): void =>
    report({ severity: issue.severity, path: issue.path, message: 'expected true or an array of variable names' });
  return readStrings({ raw, report: tell, base: [] }, 'inheritEnv');
}

/** No operating system accepts a NUL in an argument. Reported here, because otherwise spawn throws. */
function checkNul({ command, cwd, args, env }: StdioConfig, report: (issue: FieldIssue) => void): void {
  const refuse = (...path: (string | number)[]): void =>
    report({ severity: 'error', path, message: 'holds a NUL character' });
  if (command.includes('\0')) refuse('command');
  if (cwd?.includes('\0') === true) refuse('cwd');
  args.forEach((argument, index) => {
    if (argument.includes('\0')) refuse('args', index);
  });
  for (const name of Object.keys(env)) {
    // The system splits at the first `=`: the name `LD_PRELOAD=x` would set a variable that checks do not see.
    if (name === '' || name.includes('=')) {
      report({ severity: 'error', path: ['env', name], message: 'is not the name of a variable' });
    }
    if (name.includes('\0') || env[name]!.reveal().includes('\0')) refuse('env', name);
  }
}
