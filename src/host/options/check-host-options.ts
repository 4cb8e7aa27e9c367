import {
  callback,
  fields,
  flag,
  listOption,
  milliseconds,
  object,
  oneOf,
  type OptionCheck,
  textOption,
  wrongOption,
} from '../../base/check-options.js';
import { HostError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { shorten } from '../../base/shorten.js';
import { hostEvents } from '../host-events.js';
import { hookEvents } from '../../model/hooks/hook-settings.js';
import { configChecks } from '../../config/check-config-options.js';

const onFailure = oneOf(['continue', 'block']);
const hook = listOption(
  fields({ matcher: textOption, onFailure, failOpen: flag, timeoutMs: milliseconds, run: callback }),
);

const hookCallback = listOption((value, path) => {
  fields({
    event: oneOf(hookEvents),
    matcher: textOption,
    label: textOption,
    timeoutMs: milliseconds,
    onFailure,
    ask: callback,
  })(value, path);
  needs(value, ['event', 'label', 'ask'], path);
});

const localTools = listOption((value, path) => {
  fields({
    name: textOption,
    title: textOption,
    description: textOption,
    inputSchema: object,
    hints: object,
    call: callback,
  })(value, path);
  needs(value, ['name', 'description', 'inputSchema', 'call'], path);
});

function needs(value: unknown, names: readonly string[], path: string): void {
  const missing = names.find((name) => (value as Readonly<Record<string, unknown>>)[name] === undefined);
  if (missing !== undefined) throw wrongOption(`${path}.${missing}`, 'given', undefined);
}

const embedded: OptionCheck = (value, path) => {
  if (!(value instanceof Map)) throw wrongOption(path, 'a Map of servers by name', value);
};

const laneCount: OptionCheck = (value, path) => {
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw wrongOption(path, 'a whole number from 1', value);
};

const hostOptions = fields({
  ...configChecks,
  ports: fields({
    clock: object,
    wall: callback,
    random: callback,
    ask: callback,
    token: callback,
    model: object,
    openUrl: callback,
    elicit: callback,
    takesSecrets: flag,
  }),
  embedded,
  watch: flag,
  socket: flag,
  only: listOption(textOption),
  start: oneOf(['eager', 'lazy']),
  unprefixed: listOption(textOption),
  tools: localTools,
  hooks: fields({
    preToolUse: hook,
    permissionRequest: hook,
    postToolUse: hook,
    postToolUseFailure: hook,
    elicitation: hook,
    elicitationResult: hook,
  }),
  hookCallbacks: hookCallback,
  session: callback,
  serves: flag,
  lanes: fields({ limit: laneCount, principalLimit: laneCount }),
});

const forkOptions = fields({
  servers: listOption((value, path) => {
    if (typeof value !== 'string') object(value, path);
  }),
  mayLack: flag,
  isForEveryFolder: flag,
  tools: listOption(textOption),
  local: localTools,
});

/** Refuses misspelt options, and values of the wrong type, of `Host.open`. Throws `usage`. */
export function checkHostOptions(options: unknown): void {
  hostOptions(options, '');
}

/** Refuses misspelt options, and values of the wrong type, of `host.fork`. Throws `usage`. */
export function checkForkOptions(options: unknown): void {
  forkOptions(options, '');
}

/** Refuses an event that no host has, and a listener that is none. Throws `usage`. */
export function checkListener(kind: unknown, listener: unknown): void {
  callback(listener, 'listener');
  if ((hostEvents as readonly unknown[]).includes(kind)) return;
  const [close] = nearest(String(kind), hostEvents);
  throw new HostError('usage', `There is no event "${shorten(String(kind), 100)}"`, {
    hint: close === undefined ? `There are: ${hostEvents.join(', ')}` : `Did you mean '${close}'?`,
  });
}

/** The error for a program that calls the constructor, which types forbid. */
export function notByNew(): HostError {
  return new HostError('usage', 'A Host is not made with new', {
    hint: 'Write: await using host = await Host.open(options)',
  });
}
