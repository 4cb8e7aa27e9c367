import { resolve } from 'node:path';
import { HostError } from '../base/errors.js';
import { childEnvironment } from '../edge/child-environment.js';
import { findCommand } from '../edge/find-command.js';
import { startProcess } from '../edge/process-tree.js';
import type { Pipe } from '../wire/pipe.js';
import type { OpenContext } from './kind.js';
import type { StdioConfig } from './stdio.js';
import { StdioPipe } from './stdio-pipe.js';

/** Starts the server's process and opens the pipe to it. */
export async function openStdio(config: StdioConfig, context: OpenContext): Promise<Pipe> {
  const { name, clock, platform, processes: registry, stderrFile } = context;
  const { command, args, inheritEnv } = config;
  if (config.sandbox !== undefined) {
    throw new HostError('unsupported', `Server "${name}" asks for a sandbox, which Plugboard does not have yet`, {
      hint: 'Take "sandbox" out of its entry to run it without one',
    });
  }
  const cwd = config.cwd === undefined ? context.cwd : resolve(context.cwd, config.cwd);
  const env = childEnvironment(context.env, { env: config.env, inheritEnv, platform });
  const path = context.commandPath ?? findCommand(command, { cwd, path: env['PATH'], platform });
  if (path === undefined) {
    throw new HostError('start-failed', `Server "${name}" cannot be started: there is no command "${command}"`, {
      hint: /[/\\]/u.test(command)
        ? `Check the path; a relative one starts in ${cwd}`
        : 'Install it, or write its full path',
    });
  }
  const process = await startProcess({ name, command: path, args, cwd, env, clock, registry, stderrFile });
  return new StdioPipe({ name, process, clock });
}
