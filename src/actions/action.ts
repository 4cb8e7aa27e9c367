import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { ActionContext } from './action-context.js';
import type { ActionPlace } from './action-place.js';
import type { ArgsOf, ArgumentSpecs } from './arguments.js';
import type { Barrier } from './barrier.js';
import type { ServerFacts } from './servers/server-facts.js';
import type { Told } from './told.js';

/**
 * Something a person can have done with servers, whatever face they ask from: a verb, a command of the session, a key of the panel. A new one is a
 * file of this room and a name in `actions` (all.ts).
 *
 * A file of an action imports base, model, this room and host/inside.ts by value; `run` imports the rest when it is called, because `--help` has
 * every action in it.
 */
export interface Action<Specs extends ArgumentSpecs = ArgumentSpecs, Outcome = unknown> {
  readonly name: string;
  /** On a key or a button: `sign out`. */
  readonly label: string;
  /** While it is under way: `signing out`. */
  readonly doing: string;
  readonly summary: string;
  readonly args: Specs;
  /** `files`: starts no server, and runs on a host all the same where one is open. `host`: one that is open, or that the face opens for it. */
  readonly needs: 'files' | 'host';
  /** What a host that is opened for it alone has to be like. */
  readonly opening?: HostOpening<ArgsOf<Specs>>;
  /** Why every face refuses it for a server as that is now. Pure: a table of facts is its test. */
  barrier?(server: ServerFacts): Barrier | undefined;
  /** Whether a list of what can be done now has it: a row of keys, a menu. What is not offered is not refused. Pure. */
  isOffered?(server: ServerFacts): boolean;
  /** Rejects with a HostError: every face has one place for those. */
  run(on: ActionPlace, args: ArgsOf<Specs>, context: ActionContext): Promise<Done<Outcome>>;
}

/** How a face opens a host for an action alone. */
export interface HostOpening<Args> {
  /** The names of the servers that are meant. Rejects with a HostError where those may not run. */
  servers(config: HostConfig, args: Args, given: { readonly adHoc: string | undefined }): Promise<readonly string[]>;
  /** Whether servers have to be asked at all; otherwise it runs on the files. */
  isNeeded?(config: HostConfig, args: Args): boolean | Promise<boolean>;
  /** Whether a server may be started for it, so that the folder has to be trusted first; every one unless said otherwise. */
  mayStart?(server: ConfiguredServer, args: Args): boolean;
  /** A server starts when the action asks for it: what the last run knew is enough for the others. */
  readonly isLazy?: true;
  /** It tells what became of each server, so that none of them can end it. */
  readonly isReport?: true;
  /** It calls something: a server may ask the person about it. */
  readonly mayAsk?: true;
}

/** What came of it: typed for a program, for `--json`, for a person. A face reads the last two, and knows no outcome. */
export interface Done<Outcome = unknown> {
  readonly outcome: Outcome;
  readonly json: object;
  readonly told: Told;
}

/** The outcome is typed inside and erased outside, so that a list of actions has one type. */
export function defineAction<const Specs extends ArgumentSpecs, Outcome>({
  run,
  json,
  tell,
  ...action
}: Omit<Action<Specs, Outcome>, 'run'> & {
  readonly run: (on: ActionPlace, args: ArgsOf<Specs>, context: ActionContext) => Promise<Outcome>;
  readonly json: (outcome: Outcome) => object;
  readonly tell: (outcome: Outcome) => Told;
}): Action<Specs, Outcome> {
  return {
    ...action,
    async run(on, args, context) {
      const outcome = await run(on, args, context);
      return { outcome, json: json(outcome), told: tell(outcome) };
    },
  };
}
