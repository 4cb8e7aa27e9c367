import { isObject } from '../../base/json.js';
import { nearest } from '../../base/nearest.js';
import { shorten } from '../../base/shorten.js';
import { fitsShape } from '../../model/fields/shape.js';
import { readNarrowing } from '../../model/permissions/narrowing.js';
import type { JsonDocument, JsonPath } from '../document.js';
import { type Problem, problemAt, toFieldPath } from '../problem.js';
import {
  GATEWAY_FIELDS,
  type GatewayPreset,
  type GatewaySettings,
  PRESET_FIELDS,
  PRESET_NAMES,
} from './gateway-fields.js';

/** A field that does not fit has no say; a preset that does not fit is not there, because it would give too much. */
export function parseGateway(raw: unknown): GatewaySettings | undefined {
  if (!isObject(raw)) return undefined;
  const fitting: [string, unknown][] = [];
  const unread: string[] = [];
  for (const [name, { shape }] of Object.entries(GATEWAY_FIELDS)) {
    const value = raw[name];
    if (value === undefined) continue;
    if (name === 'presets' && isObject(value)) {
      const faulty = Object.keys(value).filter((one) => presetFaults(one, value[one]).length > 0);
      fitting.push([name, Object.fromEntries(Object.entries(value).filter(([one]) => !faulty.includes(one)))]);
      unread.push(...faulty.map((one) => `@${one}`));
    } else if (fitsShape(shape, value)) fitting.push([name, value]);
    else unread.push(name);
  }
  return { ...Object.fromEntries(fitting), ...(unread.length > 0 && { unread }) };
}

/** Settings as read, plus what of the last ones is written otherwise now and cannot be read. */
export function keepUnread(before: GatewaySettings, after: GatewaySettings): GatewaySettings {
  const { presets = {}, ...others } = before;
  const { unread = [] } = after;
  const kept = Object.entries(others).filter(([name]) => unread.includes(name));
  const isKept = (name: string): boolean => unread.includes('presets') || unread.includes(`@${name}`);
  const keptPresets = Object.entries(presets).filter(([name]) => isKept(name));
  if (kept.length + keptPresets.length === 0) return after;
  const all: Readonly<Record<string, GatewayPreset>> = { ...after.presets, ...Object.fromEntries(keptPresets) };
  return { ...after, ...Object.fromEntries(kept), ...(Object.keys(all).length > 0 && { presets: all }) };
}

/** What is wrong in the presets of `settings.gateway`, each at its own place. */
export async function presetProblems(gateway: unknown, document: JsonDocument): Promise<readonly Problem[]> {
  const presets = isObject(gateway) ? gateway['presets'] : undefined;
  if (!isObject(presets)) return [];
  const problems: Problem[] = [];
  for (const [name, preset] of Object.entries(presets)) {
    for (const { path, code = 'odd-value', message, hint } of presetFaults(name, preset)) {
      const whole = ['settings', 'gateway', 'presets', name, ...path];
      const problem = await problemAt(document, whole, `preset "${name}": ${message}`, hint);
      problems.push({ ...problem, code, field: toFieldPath(whole) });
    }
  }
  return problems;
}

interface PresetFault {
  /** From the preset. */
  readonly path: JsonPath;
  readonly code?: Problem['code'];
  readonly message: string;
  readonly hint: string;
}

const FIELDS = Object.keys(PRESET_FIELDS);
const NAMES = new RegExp(PRESET_NAMES, 'u');

function presetFaults(name: string, preset: unknown): readonly PresetFault[] {
  if (!NAMES.test(name)) {
    const message = 'the name may have 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-"';
    return [{ path: [], message, hint: 'Give the preset such a name: clients write it into the address' }];
  }
  if (!isObject(preset)) {
    const message = `is ${show(preset)}, and has to be an object with "servers", "tools" or "list"`;
    return [{ path: [], message, hint: `Write "${name}": { "servers": ["NAME"] }` }];
  }
  const { servers, tools, list } = preset;
  return [
    ...Object.keys(preset)
      .filter((field) => !FIELDS.includes(field))
      .map(unknownFault),
    ...listFaults('servers', servers, { what: 'name', example: 'NAME', check: () => undefined }),
    ...listFaults('tools', tools, { what: 'rule', example: 'mcp__NAME', check: ruleFault }),
    ...(list === undefined || fitsShape(PRESET_FIELDS.list.shape, list) ? [] : [wordFault(list)]),
  ];
}

/** A preset without the field that its author meant gives more than was meant. */
function unknownFault(field: string): PresetFault {
  const [close] = nearest(field, FIELDS);
  const hint = close === undefined ? `Fields of a preset are: ${FIELDS.join(', ')}` : `Did you mean "${close}"?`;
  return { path: [field], code: 'unknown-field', message: `unknown field "${field}"`, hint };
}

interface ListForm {
  readonly what: string;
  readonly example: string;
  readonly check: (text: string) => Pick<PresetFault, 'message' | 'hint'> | undefined;
}

function listFaults(field: string, value: unknown, { what, example, check }: ListForm): readonly PresetFault[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    const written = typeof value === 'string' && value.trim() !== '' ? value : example;
    const message = `"${field}" is ${show(value)}, and has to be an array of ${what}s`;
    return [{ path: [field], message, hint: `Write "${field}": [${show(written)}]` }];
  }
  return value.flatMap((element: unknown, index) => {
    const path = [field, index];
    if (typeof element !== 'string' || element.trim() === '') {
      const message = `"${field}" has ${show(element)}, which is no ${what}`;
      return [{ path, message, hint: `Write "${field}": ["${example}"]` }];
    }
    const fault = check(element);
    return fault ? [{ path, ...fault }] : [];
  });
}

function ruleFault(text: string): Pick<PresetFault, 'message' | 'hint'> | undefined {
  const reading = readNarrowing([text]);
  if (reading.kind === 'narrowing') return undefined;
  return { message: reading.reason.replace(/^The/u, 'the'), hint: reading.hint };
}

function wordFault(value: unknown): PresetFault {
  const { words } = PRESET_FIELDS.list.shape;
  const [close] = typeof value === 'string' ? nearest(value, words) : [];
  const message = `"list" is ${show(value)}, and may be "all", "search" or "auto"`;
  return {
    path: ['list'],
    message,
    hint: close === undefined ? 'Write "list": "all", or leave it out' : `Did you mean "${close}"?`,
  };
}

function show(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : shorten(JSON.stringify(value), SHOWN);
}

const SHOWN = 100;
