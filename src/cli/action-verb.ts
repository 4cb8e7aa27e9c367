import type { Action } from '../actions/action.js';
import { type ArgumentSpec, type FlagArgument, flagName, isFlag } from '../actions/arguments.js';
import type { RunActionOptions } from './run-action.js';
import type { Option, Verb } from './verb.js';

/** What the command line adds to an action: examples, what else its help says, and how its host is opened. */
export interface VerbFace extends Partial<Pick<Verb, 'aliases' | 'usage' | 'examples' | 'details'>>, RunActionOptions {}

/** A verb over an action: parse, run, print. What it needs for that is loaded when it is called. */
export function toVerb(action: Action, { aliases, usage, examples, details, ...options }: VerbFace): Verb {
  const specs = Object.entries(action.args);
  return {
    name: action.name,
    summary: action.summary,
    usage: usage ?? specs.flatMap(([name, spec]) => usageOf(name, spec)).join(' '),
    options: specs.flatMap(([name, spec]) => (isFlag(spec) ? [toOption(name, spec)] : [])),
    completes: 'server',
    ...(aliases && { aliases }),
    ...(examples && { examples }),
    ...(details && { details }),
    async run(invocation, io) {
      return (await import('./run-action.js')).runAction(action, { invocation, io }, options);
    },
  };
}

function usageOf(name: string, spec: ArgumentSpec): string[] {
  if (spec.kind === 'mark') return [];
  if (!isFlag(spec)) return [spec.kind === 'server' ? 'NAME' : '[NAME ...]'];
  const flag = spec.short === undefined ? `--${flagName(name)}` : `-${spec.short}`;
  return [`[${flag}${spec.kind === 'flag' ? '' : ` ${spec.kind === 'choice' ? spec.choices.join('|') : spec.value}`}]`];
}

/** A flag of an action as an option of the command line. */
export function toOption(name: string, { kind, ...option }: FlagArgument): Option {
  return { name: flagName(name), ...option, ...(kind === 'texts' && { repeatable: true }) };
}
