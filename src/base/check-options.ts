import { HostError } from './errors.js';
import { isObject } from './json.js';
import { nearest } from './nearest.js';
import { shorten } from './shorten.js';

/** Checks one value that a program passed in. `path` names it: `permissions.allow`. Throws `usage`. */
export type OptionCheck = (value: unknown, path: string) => void;

/** Checks an object of options: no unknown name, and every value by its check. Throws `usage`. */
export function fields(checks: Readonly<Record<string, OptionCheck>>): OptionCheck {
  return (value, path) => {
    if (!isObject(value)) throw wrongOption(path, 'an object', value);
    for (const [name, one] of Object.entries(value)) {
      if (!Object.hasOwn(checks, name)) throw unknown(path, name, Object.keys(checks));
      if (one !== undefined) checks[name]!(one, path === '' ? name : `${path}.${name}`);
    }
  };
}

/** A list whose every element passes the check. */
export function listOption(check: OptionCheck): OptionCheck {
  return (value, path) => {
    if (!Array.isArray(value)) throw wrongOption(path, 'a list', value);
    for (const [at, one] of value.entries()) check(one, `${path}[${at}]`);
  };
}

/** One of these words. */
export function oneOf(words: readonly string[]): OptionCheck {
  return (value, path) => {
    if (typeof value === 'string' && words.includes(value)) return;
    const [close] = typeof value === 'string' ? nearest(value, words) : [];
    const hint = close === undefined ? `Write one of: ${words.join(', ')}` : `Did you mean '${close}'?`;
    throw new HostError('usage', `${path} has to be one of ${words.join(', ')}; it is ${shown(value)}`, { hint });
  };
}

export const textOption: OptionCheck = ofType('string', 'a string');
export const flag: OptionCheck = ofType('boolean', 'true or false');
export const callback: OptionCheck = ofType('function', 'a function');

/** Whatever is there: it is checked where it is used. */
export const anything: OptionCheck = () => undefined;

/** A number of milliseconds. */
export const milliseconds: OptionCheck = (value, path) => {
  if (typeof value !== 'number' || !(value > 0)) throw wrongOption(path, 'a number of milliseconds', value);
};

/** Any object, or an instance of a class. */
export const object: OptionCheck = (value, path) => {
  if (!isObject(value)) throw wrongOption(path, 'an object', value);
};

/** The error for a value of the wrong type. */
export function wrongOption(path: string, wanted: string, value: unknown): HostError {
  const message =
    path === ''
      ? `The options have to be ${wanted}; they are ${shown(value)}`
      : `${path} has to be ${wanted}; it is ${shown(value)}`;
  return new HostError('usage', message, { hint: `Pass ${wanted}${path === '' ? '' : ` as ${path}`}` });
}

function unknown(path: string, name: string, known: readonly string[]): HostError {
  const full = shorten(path === '' ? name : `${path}.${name}`, NAME_SHOWN);
  const [close] = nearest(name, known);
  const where = path === '' ? '' : `${path}.`;
  return new HostError('usage', `There is no option ${full}`, {
    hint:
      close === undefined
        ? `There are: ${known.map((one) => where + one).join(', ')}`
        : `Did you mean ${where}${close}?`,
  });
}

function ofType(type: string, wanted: string): OptionCheck {
  return (value, path) => {
    if (typeof value !== type) throw wrongOption(path, wanted, value);
  };
}

/** The kind of a value, for a sentence. Never the value itself, which may be a secret, unless it is a short number. */
function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return typeof value === 'object' ? 'an object' : typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`;
}

const NAME_SHOWN = 200;
