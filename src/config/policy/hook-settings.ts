import { isObject } from '../../base/json.js';
import { nearest } from '../../base/nearest.js';
import { shorten } from '../../base/shorten.js';
import {
  type HookCommand,
  type HookEvent,
  hookEvents,
  type HookSetting,
  isBlockingEvent,
  isCallEvent,
} from '../../model/hooks/hook-settings.js';
import type { SettingsPlace } from './permissions-parse.js';

/**
 * `hooks` of a settings file. A malformed hook about calls makes every call be asked about; one about prompts or answers
 * to servers is kept as a hook that fails.
 */
export function parseHooks(raw: unknown, place: SettingsPlace): readonly HookSetting[] {
  if (!isObject(raw)) {
    place.tell(`expected an object with ${EVENTS.join(', ')}`, FORM);
    place.doubt('is not an object');
    return [];
  }
  return Object.entries(raw).flatMap(([key, list]) => {
    const event = EVENTS.find((word) => word === key);
    if (event) return parseEvent(event, list, place.at(key));
    const [close] = nearest(key, EVENTS);
    const hint = close === undefined ? `Hook events are: ${EVENTS.join(', ')}` : `Did you mean "${close}"?`;
    const meant = OTHER_EVENTS.has(key) ? undefined : EVENTS.find((word) => word === close);
    const severity = meant && isBlockingEvent(meant) ? 'error' : 'warning';
    place.at(key).tell('is not a hook event that Plugboard knows', hint, { severity, code: 'unknown-field' });
    return meant ? withhold(meant, place.at(key), 'is not a hook event') : [];
  });
}

/** What stands for a hook that cannot be read. Other events stop nothing: the error is all there is to say. */
function withhold(event: HookEvent, place: SettingsPlace, fault: string): readonly HookSetting[] {
  if (!isBlockingEvent(event)) return [];
  if (!isCallEvent(event)) {
    const { field, file, line } = place;
    return [{ event, matcher: undefined, commands: [], fault: `${field} ${fault}`, file, ...line }];
  }
  place.doubt(fault);
  return [];
}

const EVENTS: readonly HookEvent[] = hookEvents;
const OTHER_EVENTS: ReadonlySet<string> = new Set(['PermissionDenied']); // of other hosts: no misspelling of ours
const FORM =
  'Write "hooks": { "PreToolUse": [{ "matcher": "mcp__*", "hooks": [{ "type": "command", "command": "..." }] }] }';

function parseEvent(event: HookEvent, raw: unknown, place: SettingsPlace): readonly HookSetting[] {
  const refuse = (at: SettingsPlace, message: string): readonly HookSetting[] => {
    at.tell(message, FORM);
    return withhold(event, at, `is not a hook that Plugboard can run: ${message}`);
  };
  if (!Array.isArray(raw)) return refuse(place, 'expected an array of { "matcher", "hooks" }');
  return raw.flatMap((group: unknown, index): readonly HookSetting[] => {
    const at = place.at(index);
    if (!isObject(group)) return refuse(at, 'expected { "matcher": "...", "hooks": [...] }');
    const { matcher, hooks } = group;
    if (matcher !== undefined && typeof matcher !== 'string') return refuse(at.at('matcher'), 'expected a string');
    if (!Array.isArray(hooks)) return refuse(at.at('hooks'), 'expected an array of commands');
    const read = hooks.map(readCommand);
    const faults = read.flatMap((one, number) => (typeof one === 'string' ? refuse(at.at('hooks', number), one) : []));
    const commands = read.filter((one) => typeof one !== 'string');
    return commands.length === 0 ? faults : [...faults, { event, matcher, commands, file: at.file, ...at.line }];
  });
}

/** The command, or a message about what is wrong with it. */
function readCommand(hook: unknown): HookCommand | string {
  if (!isObject(hook)) return 'expected { "type": "command", "command": "..." }';
  const { type, command, timeout, onFailure, failOpen } = hook;
  if (type !== undefined && type !== 'command')
    return `has the type ${shorten(JSON.stringify(type), 40)}, which Plugboard cannot run`;
  if (typeof command !== 'string' || command.trim() === '') return 'has no command';
  const isTime = timeout === undefined || (typeof timeout === 'number' && Number.isFinite(timeout) && timeout > 0);
  if (!isTime) return 'has a timeout that is not a number of seconds above 0';
  if (failOpen !== undefined && typeof failOpen !== 'boolean') return 'has a failOpen that is neither true nor false';
  if (onFailure !== undefined && onFailure !== 'continue' && onFailure !== 'block')
    return 'has an onFailure that is neither "continue" nor "block"';
  const isOpen = onFailure === 'continue';
  if (onFailure !== undefined && failOpen !== undefined && failOpen !== isOpen)
    return 'has an onFailure and a failOpen that contradict each other';
  return { command, timeout, failOpen: isOpen || failOpen === true };
}
