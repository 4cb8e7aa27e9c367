import type { Host } from '../../index.js';
import { toneOfState } from '../../actions/waited-state.js';
import { HostError } from '../../base/errors.js';
import { showExact, showLine } from '../../model/show.js';
import { actInPanel, hintLines, stateLines } from './act-in-panel.js';
import type { PanelServer } from './panel-data.js';
import type { Effect, PanelMessage } from './panel-state.js';
import { actionOf } from './action-keys.js';

export interface ActionRunnerOptions {
  readonly host: Host;
  readonly now: () => Date;
  /** Signs in, in the foreground. Rejects with a HostError when the sign-in does not succeed. */
  readonly signIn: (name: string) => Promise<void>;
  /** Called with the outcome of an action. Contract: must not throw. */
  readonly onMessage: (message: PanelMessage) => void;
  /** Called when an action begins or ends. Contract: must not throw. */
  readonly onChange: () => void;
}

type ActionEffect = Extract<Effect, { readonly kind: 'do' }>;

/** Runs actions, one at a time for each server. Reports failures instead of throwing. */
export class ActionRunner {
  /** The action under way, by server name. */
  readonly doing = new Map<string, string>();
  readonly #options: ActionRunnerOptions;

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
  }

  /** Resolves when the action has ended or failed. Never rejects. */
  async start(effect: ActionEffect, server: PanelServer): Promise<void> {
    const { onMessage, onChange } = this.#options;
    const { name } = server.state;
    const word = actionOf(effect.action).doing;
    const busy = this.doing.get(name);
    if (busy !== undefined) {
      const more = busy === word ? ' already' : ': wait until that is done';
      onMessage({ kind: 'note', lines: [`${showExact(name)}: ${busy}${more}`] });
      return;
    }
    this.doing.set(name, word);
    onChange();
    const message = await this.#perform(effect, server).catch((cause: unknown) => failure(effect, server, cause));
    this.doing.delete(name);
    onMessage(message);
    onChange();
  }

  async #perform({ action, decided }: ActionEffect, server: PanelServer): Promise<PanelMessage> {
    if (action === 'login') return this.#signIn(server);
    return actInPanel(actionOf(action), server, { ...this.#options, decided });
  }

  async #signIn({ state }: PanelServer): Promise<PanelMessage> {
    const { host, signIn } = this.#options;
    await signIn(state.name);
    const after = host.server(state.name);
    if (!after) return { kind: 'note', lines: [`${showExact(state.name)} is no longer configured`] };
    return { kind: toneOfState(after), lines: stateLines(after) };
  }
}

/** The message for a failed action: what, why, and what to do. */
function failure(effect: ActionEffect, { state }: PanelServer, cause: unknown): PanelMessage {
  const what = actionOf(effect.action).label;
  if (!(cause instanceof HostError)) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return {
      kind: 'failed',
      lines: [showLine(`error: Could not ${what} ${showExact(state.name)}: Plugboard itself failed: ${message}`)],
    };
  }
  const { message: said } = cause;
  if (cause.code === 'cancelled') return { kind: 'note', lines: [showLine(said)] };
  return {
    kind: 'failed',
    lines: [showLine(`error: Could not ${what} ${showExact(state.name)}: ${said}`), ...hintLines(cause.hint ?? '')],
  };
}
