import type { Action } from '../../actions/action.js';
import { type ArgumentSpec, type ArgumentSpecs, type FlagArgument, flagName, isFlag } from '../../actions/arguments.js';
import type { RunActionOptions } from './run-action.js';
import type { Option, Verb } from '../verb.js';

/** What the command line adds to an action: examples, what else its help says, how it is typed, and how its host is opened. */
export interface VerbFace<Specs extends ArgumentSpecs = ArgumentSpecs>
  extends Partial<Omit<Verb, 'name' | 'summary' | 'run'>>, RunActionOptions<Specs> {}

/** A verb over an action: parse, run, print. What it needs for that is loaded when it is called. */
export function toVerb<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  { starts, takesUrl, parse, prepare, ...verb }: VerbFace<Specs>,
): Verb {
  const specs = Object.entries<ArgumentSpec>(action.args);
  const isOfServers = specs.some(([, { kind }]) => kind === 'server' || kind === 'servers');
  return {
    name: action.name,
    summary: action.summary,
    usage: specs.flatMap(([name, spec]) => usageOf(name, spec)).join(' '),
    options: specs.flatMap(([name, spec]) => (isFlag(spec) ? [toOption(name, spec)] : [])),
    // Who reads the words by itself says what the first of them is.
    ...(isOfServers && !parse && { completes: 'server' }),
    ...verb,
    async run(invocation, io) {
      const { runAction } = await import('./run-action.js');
      return runAction(action, { invocation, io }, { starts, takesUrl, parse, prepare });
    },
  };
}

function usageOf(name: string, spec: ArgumentSpec): string[] {
  // What else a line takes, its verb says.
  if (['word', 'words', 'entry', 'mark'].includes(spec.kind)) return [];
  if (!isFlag(spec)) return [spec.kind === 'server' ? 'NAME' : '[NAME ...]'];
  const flag = spec.short === undefined ? `--${flagName(name)}` : `-${spec.short}`;
  return [`[${flag}${spec.kind === 'flag' ? '' : ` ${spec.kind === 'choice' ? spec.choices.join('|') : spec.value}`}]`];
}

/** A flag of an action as an option of the command line. */
export function toOption(name: string, { kind, ...option }: FlagArgument): Option {
  return { name: flagName(name), ...option, ...(kind === 'texts' && { repeatable: true }) };
}
