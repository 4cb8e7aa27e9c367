import type { Action } from '../../actions/action.js';
import { toVerb } from './action-verb.js';
import { adHocOptions } from '../input/ad-hoc.js';
import type { RunOnHostOptions } from './run-on-host.js';
import type { Verb } from '../verb.js';

export interface HostVerbFace
  extends
    Required<Pick<Verb, 'usage' | 'examples'>>,
    Pick<Verb, 'aliases' | 'completes' | 'wordsBeforeCommand'>,
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
  const { aliases = [], usage, examples, completes, wordsBeforeCommand, ...how } = face;
  const { options = [], completes: _, ...verb } = toVerb(action, { aliases, usage, examples });
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
