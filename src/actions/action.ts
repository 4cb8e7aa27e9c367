import type { HostConfig } from '../config/load.js';
import type { ConfiguredServer } from '../config/entries/server.js';
import type { ActionContext } from './action-context.js';
import type { ActionPlace } from './action-place.js';
import type { ArgsOf, ArgumentSpecs } from './arguments.js';
import type { Barrier } from './barrier.js';
import type { ServerFacts } from './servers/server-facts.js';
import type { Told } from './told.js';

/**
 * Something that a user can do with servers, from any face: a verb, a command of the session, a key of the panel. A new
 * action is a file of this room and a name in `actions` (all.ts).
 *
 * A file of an action imports by value only base, model, this room and host/inside.ts. `run` imports the rest when it
 * is called, because `--help` loads every action.
 */
export interface Action<Specs extends ArgumentSpecs = ArgumentSpecs, Outcome = unknown> {
  readonly name: string;
  /** The text on a key or button: `sign out`. */
  readonly label: string;
  /** The text while the action runs: `signing out`. */
  readonly doing: string;
  readonly summary: string;
  readonly args: Specs;
  /** `files`: starts no server; uses the host if one is open. `host`: the open host, or one that the face opens. */
  readonly needs: 'files' | 'host';
  /** How the face opens a host for this action alone. */
  readonly opening?: HostOpening<ArgsOf<Specs>>;
  /** Why every face must refuse the action for a server in its current state; undefined: allowed. Pure. */
  barrier?(server: ServerFacts): Barrier | undefined;
  /** Whether menus and key rows list the action for this server. An unlisted action can still be run. Pure. */
  isOffered?(server: ServerFacts): boolean;
  /** Rejects with a `HostError`, which every face shows in one place. */
  run(on: ActionPlace, args: ArgsOf<Specs>, context: ActionContext): Promise<Done<Outcome>>;
}

/** How a face opens a host for one action alone. */
export interface HostOpening<Args> {
  /** The names of the servers to open. Rejects with a `HostError` when they may not run. */
  servers(config: HostConfig, args: Args, given: { readonly adHoc: string | undefined }): Promise<readonly string[]>;
  /** Whether the action needs a host at all; if not, it runs on the files. */
  isNeeded?(config: HostConfig, args: Args): boolean | Promise<boolean>;
  /** Whether the action may start this server, which requires a trusted folder; default: every server. */
  mayStart?(server: ConfiguredServer, args: Args): boolean;
  /** Servers start only when the action uses them; for the others the cached catalog is enough. */
  readonly isLazy?: true;
  /** The action reports the state of each server, so a failed server does not fail the action. */
  readonly isReport?: true;
  /** The action calls a server, which may then ask the user a question (elicitation). */
  readonly mayAsk?: true;
}

/** The result of an action. Faces read only `json` (for `--json`) and `told` (for people). */
export interface Done<Outcome = unknown> {
  readonly outcome: Outcome;
  readonly json: object;
  readonly told: Told;
}

/** Defines an action whose outcome is typed inside and erased outside, so that all actions fit one list. */
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
