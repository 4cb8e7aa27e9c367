import { isObject } from '../../base/json.js';
import { nearest } from '../../base/nearest.js';
import { type FlowMode, flowModes, type FlowSettings, parseFlowRule } from '../../model/flow/flow-settings.js';
import type { SettingsPlace } from './permissions-parse.js';
import { FLOW_FIELDS } from './settings-fields.js';

/** `flow` of one settings file, and whose file it is. */
export interface WrittenFlow extends FlowSettings {
  readonly source: SettingsPlace['source'];
}

/** `flow` of a settings file. A mode that cannot be read makes every call be asked about. */
export function parseFlow(raw: unknown, place: SettingsPlace): WrittenFlow | undefined {
  if (!isObject(raw)) {
    const meant = flowModes.find((word) => word === raw) ?? 'ask';
    place.tell('expected an object with mode and allow', `Write "flow": { "mode": "${meant}" }`);
    place.doubt('is not an object');
    return undefined;
  }
  for (const key of Object.keys(raw).filter((name) => !FIELDS.includes(name))) {
    const [close] = nearest(key, FIELDS);
    const hint = close === undefined ? `Fields of flow are: ${FIELDS.join(', ')}` : `Did you mean "${close}"?`;
    place.at(key).tell('is not used', hint, { severity: 'warning', code: 'unknown-field' });
    // Its author believes that it stops calls.
    if (close === 'mode') place.at(key).doubt('is not a field of flow');
  }
  const { mode, allow } = raw;
  return {
    source: place.source,
    mode: mode === undefined ? undefined : readMode(mode, place.at('mode')),
    allow: allow === undefined ? [] : readRules(allow, place.at('allow')),
  };
}

function readMode(raw: unknown, place: SettingsPlace): FlowMode | undefined {
  const mode = flowModes.find((word) => word === raw);
  if (mode) return mode;
  const [close] = nearest(String(raw), flowModes);
  place.tell(
    `is not one of ${flowModes.join(', ')}`,
    close === undefined ? 'Write "mode": "ask"' : `Did you mean "${close}"?`,
  );
  place.doubt('is not a mode of the flow guard');
  return undefined;
}

/** A rule that cannot be read allows nothing. */
function readRules(raw: unknown, place: SettingsPlace): readonly string[] {
  if (!Array.isArray(raw)) {
    place.tell('expected an array of rules', 'Write "allow": ["web -> notes"]');
    return [];
  }
  return raw.flatMap((text: unknown, index) => {
    if (typeof text === 'string' && parseFlowRule(text)) return [text];
    place.at(index).tell('is not a rule about flows', 'Write "web -> notes": where it was read, and where it may go');
    return [];
  });
}

/**
 * The strongest mode, and the rules of all files. Where an administrator states a mode, the administrator's rules alone
 * count. `written`: strongest first.
 */
export function joinFlows(written: readonly WrittenFlow[]): FlowSettings {
  // Rules of the local file and of flags were written for this project.
  const isForAll = ({ source }: WrittenFlow): boolean => source === 'local' || source === 'flag';
  const rulesOf = (flows: readonly WrittenFlow[]): readonly string[] => flows.flatMap(({ allow = [] }) => allow);
  const isManaged = written.some(({ source, mode }) => source === 'administrator' && mode !== undefined);
  const counted = isManaged ? written.filter(({ source }) => source === 'administrator') : written;
  return {
    mode: counted.find(({ mode }) => mode !== undefined)?.mode,
    allow: rulesOf(counted.filter(isForAll)),
    ownAllow: rulesOf(counted.filter((flow) => !isForAll(flow))),
  };
}

const FIELDS = Object.keys(FLOW_FIELDS);
