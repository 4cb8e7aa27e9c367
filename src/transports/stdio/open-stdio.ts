import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { childEnvironment } from '../../edge/processes/child-environment.js';
import { findCommand } from '../../edge/processes/find-command.js';
import { startProcess } from '../../edge/processes/process-tree.js';
import { toStartError } from '../../edge/processes/start-error.js';
import { isCredentialName } from '../../model/redaction/credential-name.js';
import { secretsInArguments } from '../../model/redaction/mask-arguments.js';
import type { Pipe } from '../../wire/pipe.js';
import type { OpenContext } from '../kind.js';
import type { StdioConfig } from './stdio.js';
import { StdioPipe } from './stdio-pipe.js';

export async function openStdio(config: StdioConfig, context: OpenContext): Promise<Pipe> {
  const { name, clock, platform, processes: registry, stderrFile } = context;
  const { command, args, inheritEnv } = config;
  const cwd = config.cwd === undefined ? context.cwd : resolve(context.cwd, config.cwd);
  const env = childEnvironment(context.env, { env: config.env, inheritEnv, platform });
  const path = context.commandPath ?? findCommand(command, { cwd, path: env['PATH'], platform });
  if (path === undefined) {
    // The error for a path says what is wrong there: missing, a folder, or not executable.
    if (/[/\\]/u.test(command)) {
      const missing = Object.assign(new Error('not found'), { code: 'ENOENT' });
      throw await toStartError({ name, command: resolve(cwd, command), args, cwd, env }, missing);
    }
    const { commandMistake, mistakeHint } = await import('../../edge/processes/command-mistake.js');
    throw new HostError('start-failed', `Server "${name}" cannot be started: there is no command "${command}"`, {
      hint: mistakeHint(commandMistake(command, { cwd, path: env['PATH'], platform })),
    });
  }
  const ownsCwd = context.ownsCwd === true && config.cwd === undefined;
  const secrets = [...(context.secrets ?? []), ...secretsTold(config, env)];
  const start = { name, command: path, args, cwd, ownsCwd, env, clock, registry, stderrFile, secrets };
  if (config.sandbox === undefined) return new StdioPipe({ name, process: await startProcess(start), clock });
  const sandbox =
    context.sandbox ?? new (await import('../../edge/sandbox/sandbox.js')).SandboxHost({ env: context.env, platform });
  // The sandbox cannot write to the host's folder for temporary files; a TMPDIR of the entry is kept.
  const inside = config.env['TMPDIR'] === undefined ? { ...env, TMPDIR: '/tmp' } : env;
  const process = await sandbox.start({ ...start, env: inside }, config.sandbox === true ? {} : config.sandbox);
  return new StdioPipe({ name, process, clock, verdict: () => process.verdict() });
}

/** Secrets beyond the entry's: passwords among the arguments, and tokens from the inherited environment. */
function secretsTold({ command, args }: StdioConfig, env: Readonly<Record<string, string>>): readonly Secret[] {
  const inherited = Object.entries(env).flatMap(([name, value]) => (isCredentialName(name) ? [value] : []));
  return [...secretsInArguments(args, command), ...inherited].map((value) => new Secret(value));
}
