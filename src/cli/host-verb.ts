import type { Action } from '../actions/action.js';
import type { ArgsOf, ArgumentSpecs } from '../actions/arguments.js';
import { toVerb } from './action-verb.js';
import { adHocOptions } from './ad-hoc.js';
import type { RunOnHostOptions } from './run-on-host.js';
import type { Run, Verb } from './verb.js';

export interface HostVerbFace
  extends
    Required<Pick<Verb, 'usage' | 'examples'>>,
    Pick<Verb, 'completes' | 'wordsBeforeCommand'>,
    RunOnHostOptions {}

/** A verb that shows a list of every server, of one, or of one that is configured nowhere. */
export function toListVerb(action: Action, examples: readonly string[]): Verb {
  const usage = '[SERVER | URL | -- COMMAND ARGS]';
  return toHostVerb(action, {
    usage,
    examples,
    completes: 'server',
    takesServer: true,
    wordsBeforeCommand: 0,
    problems: (_, adHoc) => adHoc === undefined,
  });
}

/** A verb over an action that needs a host: parse, open, run, print. What it needs for that is loaded when it is called. */
export function toHostVerb(action: Action, face: HostVerbFace): Verb {
  const { usage, examples, completes, wordsBeforeCommand, ...how } = face;
  const { options = [], completes: _, ...verb } = toVerb(action, { usage, examples });
  return {
    ...verb,
    ...(completes && { completes }),
    options: how.takesServer === true ? [...options, ...adHocOptions] : options,
    ...(how.takesServer === true && { takesCommand: true }),
    ...(wordsBeforeCommand !== undefined && { wordsBeforeCommand }),
    async run(invocation, io) {
      return (await import('./run-on-host.js')).runOnHost(action, { invocation, io }, how);
    },
  };
}

interface ReportFace<Specs extends ArgumentSpecs>
  extends Required<Pick<Verb, 'usage' | 'options' | 'examples'>>, Pick<Verb, 'aliases' | 'completes'> {
  /** What was typed. Throws `usage`. */
  readonly parse: (run: Run) => ArgsOf<Specs>;
  /** What is odd about servers is in the report itself, and noted nowhere else. */
  readonly findsOddities?: true;
}

/** A verb that tells how servers are: it asks those that may run, unless --no-connect says not to, and none of them can end it. */
export function toReportVerb<Specs extends ArgumentSpecs>(
  action: Action<Specs>,
  { parse, findsOddities, ...face }: ReportFace<Specs>,
): Verb {
  const verb = toVerb(action, {});
  return {
    ...verb,
    ...face,
    options: [...verb.options!, ...face.options],
    async run(invocation, io) {
      const run = { invocation, io };
      return (await import('./run-on-host.js')).runReport(action, run, { args: parse(run), findsOddities });
    },
  };
}
