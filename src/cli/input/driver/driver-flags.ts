import { HostError } from '../../../base/errors.js';
import type { ConfigOptions } from '../../../index.js';
import type { PermissionMode } from '../../../model/permissions/settings.js';
import type { Invocation } from '../arguments.js';
import { usageError } from '../usage-error.js';
import { driverOptions } from './driver-options.js';
import { BELOW_BYPASS, BYPASS_FLAG, readDriverMode } from './mode-words.js';
import { idleDenyRules, splitTools, toAllowRules, toDenyRules, toToolLimits } from './tool-rules.js';

/** The command line with what the flags of agent SDKs mean in our own: a program that sends lines wants no session. */
export function withDriverFlags(invocation: Invocation): Invocation {
  if (invocation.verb.name !== 'session') return invocation;
  const isByProgram = isDriven(invocation);
  // On the screen of a session the messages of servers would be in the way.
  const isScript = isByProgram || invocation.has('print');
  const isTraced = isScript && (invocation.has('debug') || invocation.has('debug-to-stderr'));
  const file = invocation.value('debug-file');
  if (!isByProgram && !isTraced && file === undefined) return invocation;
  return {
    ...invocation,
    has: (option) => invocation.has(option) || (isByProgram && option === 'print') || (isTraced && option === 'trace'),
    value: (option) => invocation.value(option) ?? (option === 'record' ? file : undefined),
  };
}

/** What the flags of agent SDKs add to the permissions of this run. Throws `usage`. */
export interface DriverPermissions {
  readonly mode: PermissionMode | undefined;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export function driverPermissions(invocation: Invocation): DriverPermissions {
  const tools = invocation.has('tools') ? splitTools(invocation.values('tools')) : undefined;
  return {
    mode: modeOf(invocation),
    allow: toAllowRules(splitTools(invocation.values('allowedTools'))).rules,
    deny: [
      ...toDenyRules(splitTools(invocation.values('disallowedTools')), '--disallowedTools'),
      ...toToolLimits(tools),
    ],
  };
}

/** The files and folders that this run reads besides, or instead of, the usual ones. Throws `usage`. */
export function driverPlaces(
  invocation: Invocation,
  more: readonly string[] = [],
): Pick<ConfigOptions, 'settingSources' | 'additionalDirectories' | 'pluginDirs'> {
  const folders = [...invocation.values('add-dir'), ...more].filter((folder) => folder !== '');
  const plugins = invocation.values('plugin-dir').filter((folder) => folder !== '');
  const sources = invocation.has('setting-sources') ? readSources(invocation.values('setting-sources')) : undefined;
  return {
    ...(sources && { settingSources: sources }),
    ...(folders.length > 0 && { additionalDirectories: folders }),
    ...(plugins.length > 0 && { pluginDirs: plugins }),
  };
}

/** Whether the program that drives this one may choose the mode that asks nobody. */
export function mayBypass(invocation: Invocation): boolean {
  return invocation.has(BYPASS_FLAG);
}

/** Throws `unsupported` for a flag that restricts and cannot be obeyed. */
export function refuseBarredFlags(invocation: Invocation): void {
  if (invocation.verb.name !== 'session') return;
  for (const { name, barred } of driverOptions) {
    if (barred === undefined || !invocation.has(name)) continue;
    throw new HostError('unsupported', `--${name} cannot be obeyed: ${barred}`, { hint: 'Leave it out' });
  }
}

/** What is told about flags without effect, a sentence each. */
export function driverNotes(invocation: Invocation): readonly string[] {
  const unmet = driverOptions.flatMap(({ name, unmet: why }) =>
    why === undefined || !invocation.has(name) ? [] : [`--${name} has no effect: ${why}`],
  );
  const { unused } = toAllowRules(splitTools(invocation.values('allowedTools')));
  const idle = idleDenyRules(splitTools(invocation.values('disallowedTools')));
  const word = invocation.value('permission-mode');
  const mode = readDriverMode(word);
  const instead = isDriven(invocation) ? '' : ': the mode of the settings is used';
  return [
    ...unmet,
    ...(unused.length > 0 ? [`--allowedTools: nothing here is allowed by ${unused.join(', ')}`] : []),
    ...(idle.length > 0 ? [`--disallowedTools: no tool is denied by ${idle.join(', ')}; write mcp__server__tool`] : []),
    ...(mode.kind === 'mode' && mode.note !== undefined ? [`--permission-mode: ${mode.note}`] : []),
    ...(mode.kind === 'bypass' && modeOf(invocation) === undefined
      ? [`--permission-mode ${word} has no effect without --${BYPASS_FLAG}${instead}`]
      : []),
  ];
}

/** A mode that the program may not choose, or that is not there, never widens what the settings say. */
function modeOf(invocation: Invocation): PermissionMode | undefined {
  const word = invocation.value('permission-mode');
  if (word === undefined) return undefined;
  const reading = readDriverMode(word);
  if (reading.kind === 'mode') return reading.note === undefined ? reading.mode : undefined;
  // The word of people is a decision of the person who typed it; a program has a flag to decide by.
  const isTyped = word === 'bypass' && !isDriven(invocation);
  return reading.kind === 'bypass' && (isTyped || mayBypass(invocation)) ? 'bypass' : undefined;
}

/** The widest mode that this run may have, wherever it is written; undefined: any. */
export function widestMode(invocation: Invocation): PermissionMode | undefined {
  const reading = readDriverMode(invocation.value('permission-mode'));
  // A mode that is not there is replaced by `default`, and by a stricter one of the settings.
  if (reading.kind === 'mode' && reading.note !== undefined) return reading.mode;
  return isDriven(invocation) && !mayBypass(invocation) ? BELOW_BYPASS : undefined;
}

/** Whether a program sends the turns, as agent SDKs do. */
function isDriven(invocation: Invocation): boolean {
  return invocation.verb.name === 'session' && invocation.value('input-format') === 'stream-json';
}

function readSources(texts: readonly string[]): NonNullable<ConfigOptions['settingSources']> {
  const words = texts.flatMap((text) => text.split(',')).filter((word) => word !== '');
  const unknown = words.find((word) => !SOURCES.some((source) => source === word));
  if (unknown !== undefined) {
    throw usageError(`--setting-sources: ${unknown} is none of ${SOURCES.join(', ')}`, {
      hint: 'Write --setting-sources=user,project,local, or leave the list empty',
    });
  }
  return SOURCES.filter((source) => words.includes(source));
}

const SOURCES = ['user', 'project', 'local'] as const;
