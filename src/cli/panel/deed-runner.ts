import { onlyServer } from '../../actions/arguments.js';
import { toneOfState } from '../../actions/waited-state.js';
import { HostError } from '../../base/errors.js';
import { choose } from '../../config/approve.js';
import type { ConfigContext } from '../../config/context.js';
import type { Host } from '../../host/host.js';
import { showExact, showLine } from '../../model/show.js';
import { actInPanel, hintLines, stateLines } from './act-in-panel.js';
import type { PanelServer } from './panel-data.js';
import type { Effect, Message } from './panel-state.js';
import { actionOf } from './server-deeds.js';

export interface DeedOptions {
  readonly host: Host;
  readonly config: ConfigContext;
  /** Whether what is looked at says that a sign-in of the user's is sent there. */
  readonly wasToldOfSignIn: (hash: string) => boolean;
  readonly now: () => Date;
  /** Signs in, in the foreground. Rejects with a HostError when nobody is signed in at the end of it. */
  readonly signIn: (name: string) => Promise<void>;
  /** What came of it. Contract: must not throw. */
  readonly onTold: (message: Message) => void;
  /** Something has begun or ended. Contract: must not throw. */
  readonly onChange: () => void;
}

type DeedEffect = Exclude<Effect, { readonly kind: 'leave' }>;

/** Does what somebody wants done with a server: one thing at a time with each. Whatever goes wrong is told, and nothing thrown. */
export class DeedRunner {
  /** What is under way, by the name of the server. */
  readonly doing = new Map<string, string>();
  readonly #options: DeedOptions;

  constructor(options: DeedOptions) {
    this.#options = options;
  }

  /** Resolves when it is done, or could not be. Never rejects. */
  async start(effect: DeedEffect, server: PanelServer): Promise<void> {
    const { onTold, onChange } = this.#options;
    const { name } = server.state;
    const word = effect.kind === 'decide' ? 'deciding' : (actionOf(effect.deed)?.doing ?? 'signing in');
    const busy = this.doing.get(name);
    if (busy !== undefined) {
      const more = busy === word ? ' already' : ': wait until that is done';
      onTold({ kind: 'note', lines: [`${showExact(name)}: ${busy}${more}`] });
      return;
    }
    this.doing.set(name, word);
    onChange();
    const message = await this.#perform(effect, server).catch((cause: unknown) => failure(effect, server, cause));
    this.doing.delete(name);
    onTold(message);
    onChange();
  }

  async #perform(effect: DeedEffect, server: PanelServer): Promise<Message> {
    if (effect.kind === 'decide') return this.#decide(effect, server);
    const action = actionOf(effect.deed);
    const { name } = server.state;
    if (action) return actInPanel(action, server, { ...this.#options, given: onlyServer(name) });
    return this.#signIn(server);
  }

  /** About the very definition that was looked at. */
  async #decide({ decision, hash }: DeedEffect & { readonly kind: 'decide' }, server: PanelServer): Promise<Message> {
    const { config, now } = this.#options;
    const { definition, state } = server;
    const name = showExact(state.name);
    if (definition.approval?.hash !== hash) {
      return {
        kind: 'failed',
        lines: [`${name} was changed meanwhile: nothing was remembered`, 'a shows what it says now'],
      };
    }
    const file = await choose(config, definition, {
      decision,
      now: now(),
      signIn: this.#options.wasToldOfSignIn(hash),
    });
    const what = decision === 'approved' ? 'may run, as long as it is exactly this' : 'may not run';
    return { kind: 'done', lines: [`${name} ${what}`, showLine(`Remembered in ${file}`)] };
  }

  async #signIn({ state }: PanelServer): Promise<Message> {
    const { host, signIn } = this.#options;
    await signIn(state.name);
    await host.connection(state.name)?.settled();
    const after = host.server(state.name);
    if (!after) return { kind: 'note', lines: [`${showExact(state.name)} is no longer configured`] };
    return { kind: toneOfState(after), lines: stateLines(after) };
  }
}

/** What, why, and what to do. */
function failure(effect: DeedEffect, { state }: PanelServer, cause: unknown): Message {
  const what = effect.kind === 'decide' ? 'remember that about' : (actionOf(effect.deed)?.label ?? 'sign in');
  if (!(cause instanceof HostError)) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return {
      kind: 'failed',
      lines: [showLine(`Could not ${what} ${showExact(state.name)}: Plugboard itself failed: ${message}`)],
    };
  }
  const said = cause.message.replace(/^error: /u, '');
  if (cause.code === 'cancelled') return { kind: 'note', lines: [showLine(said)] };
  return {
    kind: 'failed',
    lines: [showLine(`Could not ${what} ${showExact(state.name)}: ${said}`), ...hintLines(cause.hint ?? '')],
  };
}
