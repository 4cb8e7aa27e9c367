import type { Action } from '../../actions/action.js';
import { type ArgumentSpec, type ArgumentSpecs, type FlagArgument, flagName, isFlag } from '../../actions/arguments.js';
import { problemsAbout } from '../../actions/servers/problem-notes.js';
import { adHocOptions } from '../input/ad-hoc.js';
import { exitCodes } from '../io.js';
import type { RunActionOptions } from './run-action.js';
import type { Option, Verb } from '../verb.js';

/** What the command line adds to an action: examples, help, how arguments are typed, and how the host is opened. */
export interface VerbFace<Specs extends ArgumentSpecs = ArgumentSpecs>
  extends Partial<Omit<Verb, 'name' | 'summary' | 'run'>>, RunActionOptions<Specs> {}

/** A verb over an action: parse, run, print. Everything that needs is loaded when the verb is run. */
export function toVerb<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  { takesServer, parse, checkWords, prepare, problems, reportsWarnings, ...verb }: VerbFace<Specs>,
): Verb {
  const specs = Object.entries<ArgumentSpec>(action.args);
  const isOfServers = specs.some(([, { kind }]) => kind === 'server' || kind === 'servers');
  const options = specs.flatMap(([name, spec]) => (isFlag(spec) ? [toOption(name, spec)] : []));
  return {
    name: action.name,
    summary: action.summary,
    usage: specs.flatMap(([name, spec]) => usageOf(name, spec)).join(' '),
    options: takesServer === 'command' ? [...options, ...adHocOptions] : options,
    // A verb with a parser of its own says itself what its first word is.
    ...(isOfServers && !parse && { completes: 'server' }),
    ...(takesServer === 'command' && { takesCommand: true }),
    ...verb,
    async run(invocation, io) {
      const { runAction } = await import('./run-action.js');
      const how = { takesServer, parse, checkWords, prepare, problems, reportsWarnings };
      return runAction(action, { invocation, io }, how);
    },
  };
}

/** A verb that lists something of all servers, of one, or of a server that is not configured. */
export function toListVerb<Specs extends ArgumentSpecs>(action: Action<Specs>, examples: readonly string[]): Verb {
  const verb = toVerb(action, {
    usage: '[SERVER | URL | -- COMMAND ARGS] [--exit-code]',
    examples,
    takesServer: 'command',
    wordsBeforeCommand: 0,
    problems: (all, { server, adHoc }) =>
      adHoc === undefined ? problemsAbout(all, server === undefined ? undefined : [server]) : [],
  });
  return withExitCode(verb, 'exit 3 when a server is missing');
}

/** A verb whose exit code tells of unhealthy servers only with `--exit-code`. */
export function withExitCode(verb: Verb, summary: string): Verb {
  return {
    ...verb,
    options: [...(verb.options ?? []), { name: 'exit-code', summary }],
    async run(invocation, io) {
      const { exitCode, ...outcome } = await verb.run(invocation, io);
      const isTold = exitCode !== undefined && (exitCode !== exitCodes.unhealthy || invocation.has('exit-code'));
      return { ...outcome, ...(isTold && { exitCode }) };
    },
  };
}

function usageOf(name: string, spec: ArgumentSpec): string[] {
  // Other arguments are in the `usage` that the verb gives itself.
  if (['word', 'words', 'entry', 'mark'].includes(spec.kind)) return [];
  if (!isFlag(spec)) return [spec.kind === 'server' ? 'NAME' : '[NAME ...]'];
  const flag = spec.short === undefined ? `--${flagName(name)}` : `-${spec.short}`;
  return [`[${flag}${spec.kind === 'flag' ? '' : ` ${spec.kind === 'choice' ? spec.choices.join('|') : spec.value}`}]`];
}

/** A flag of an action as an option of the command line. */
export function toOption(name: string, { kind, ...option }: FlagArgument): Option {
  return { name: flagName(name), ...option, ...(kind === 'texts' && { repeatable: true }) };
}
