import { causeOf, failureLines, isUnhealthy, lookOf } from '../../actions/servers/server-status.js';
import { RECONNECT_LIMITS } from '../../model/status.js';
import { ownCommands } from '../session/own-commands.js';
import { showLine } from '../../model/show.js';
import type { Style } from '../output/style.js';
import type { PanelServer } from './panel-data.js';

/** The state of a server: a glyph and a word, and a colour that means the same. */
export interface StateWord {
  readonly glyph: string;
  readonly word: string;
  readonly colour: keyof Pick<Style, 'green' | 'yellow' | 'red' | 'dim'>;
}

export function stateWord({ state, definition, doing }: PanelServer): StateWord {
  // `reconnecting` with its attempts says more than the action that the user has started.
  if (doing !== undefined && state.status !== 'reconnecting') return { glyph: '…', word: doing, colour: 'yellow' };
  const { glyph, word, tone } = lookOf(definition, state);
  return { glyph, word, colour: COLOURS[tone] };
}

const COLOURS = { good: 'green', waiting: 'yellow', bad: 'red', quiet: 'dim' } as const;

/** Whether the user has to do something about this server, or be told something. */
export function hasNextStep({ state }: PanelServer): boolean {
  if (state.status === 'unapproved') return state.rejected !== true;
  return state.status !== 'pending' && isUnhealthy(state);
}

/** Whether the filter for trouble shows this server. */
export function isTrouble(server: PanelServer): boolean {
  return hasNextStep(server) || isUnhealthy(server.state);
}

/** Each a part of one line; empty where there is nothing to say. */
export interface ServerRemedy {
  readonly cause: string;
  readonly hint: string;
}

/** Why the server is not healthy and what to do about it. */
export function nextStep(server: PanelServer): ServerRemedy {
  const { state, definition } = server;
  if (definition.standing.kind === 'untrusted') {
    return { cause: causeOf(state), hint: showLine(state.error?.hint ?? '') };
  }
  if (state.status === 'unapproved') {
    const { standing } = definition;
    const previous = standing.kind === 'unapproved' ? standing.previous : undefined;
    return previous
      ? { cause: `its entry changed since it was ${previous.decision}`, hint: 'press a to see the difference' }
      : { cause: 'defined in a file of this project', hint: 'press a to review it and let it run' };
  }
  const told = server.failure?.hint ?? failureLines(definition, state).at(-1) ?? state.error?.hint ?? '';
  const hint = ownCommands(showLine(told));
  const when = state.status === 'reconnecting' ? `${reconnectText(server)}: ` : '';
  return { cause: `${when}${causeOf(state)}`, hint };
}

/** `attempt 2 of 5 in 4 s`. */
export function reconnectText({ state, retryInMs = 0 }: PanelServer): string {
  const attempt = `attempt ${state.attempt ?? 1} of ${RECONNECT_LIMITS.maxAttempts}`;
  return retryInMs <= 0 ? `${attempt} now` : `${attempt} in ${Math.ceil(retryInMs / 1000)} s`;
}
