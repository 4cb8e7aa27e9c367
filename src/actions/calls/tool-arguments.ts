import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import { usageError } from '../usage-error.js';

/** The arguments of a tool on the command line, before its schema is known. */
export interface GivenToolArguments {
  readonly words: readonly string[];
  /** The fields of `f(a: 1)` or of JSON on stdin; words override them. */
  readonly begun: JsonObject;
  /** `--args`: a JSON object; words override its fields. */
  readonly json: string | undefined;
  /** Reads the file of `k=@file`. */
  readonly readText: (path: string) => Promise<string>;
}

export interface ReadToolArguments {
  readonly input: JsonObject;
  /** The first value that cannot have the type that the schema gives it; `input` has its text. */
  readonly misfit: HostError | undefined;
}

/**
 * `k=v` is text, or the type that the tool's schema gives k; `k:=json` is JSON; `k=@file` is the content of a file.
 * Throws a `HostError` that names the word.
 */
export async function toArguments(given: GivenToolArguments, inputSchema: object): Promise<ReadToolArguments> {
  let misfit: HostError | undefined;
  const whole = given.json === undefined ? {} : parseObject(given.json, '--args');
  const input = new Map<string, unknown>([...Object.entries(given.begun), ...Object.entries(whole)]);
  for (const word of given.words) {
    const match = /^([^=]*?)(:?=)(@?)([\s\S]*)$/u.exec(word);
    if (!match || match[1] === '') {
      throw usageError(`"${word}" is not an argument`, {
        hint: "Write name=value, name:=json or name=@file; or all of it in quotes: 'tool(name: value)'",
      });
    }
    const [, name = '', sign, at, rest = ''] = match;
    const text = at === '@' ? await given.readText(rest) : rest;
    const value = sign === ':=' ? parseJson(text, name) : coerce(text, typeOf(inputSchema, name), name);
    if (value instanceof HostError) misfit ??= value;
    input.set(name, value instanceof HostError ? text : value);
  }
  return { input: Object.fromEntries(input), misfit };
}

/** A JSON object with all arguments; `source`: where it was given, for the error. Throws `usage`. */
export function parseObject(json: string, source: '--args' | 'stdin'): JsonObject {
  const value = parseJson(json, source);
  if (isObject(value)) return value;
  throw usageError(`${source} must be a JSON object`, { hint: OBJECT_HINTS[source] });
}

const OBJECT_HINTS: Readonly<Record<string, string>> = {
  '--args': `Write --args '{"name": "value"}'`,
  stdin: `Send one JSON object: echo '{"name": "value"}' | plugboard call TOOL -`,
};

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`the value of ${name} is not valid JSON: ${shorten(text, 60)}`, {
      hint: OBJECT_HINTS[name] ?? `For plain text write ${name}=VALUE`,
      cause,
    });
  }
}

/** The single type of a property, `null` aside; undefined when the schema allows several. */
function typeOf(schema: object, name: string): unknown {
  const properties = 'properties' in schema && isObject(schema.properties) ? schema.properties : {};
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isObject(property)) return undefined;
  const { type } = property;
  if (!Array.isArray(type)) return type;
  const real = type.filter((one) => one !== 'null');
  return real.length === 1 ? real[0] : undefined;
}

/** The text as a value of that type; an error where it cannot be one. */
function coerce(text: string, type: unknown, name: string): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      if (/^\s*-?\d+\s*$/u.test(text) && !Number.isSafeInteger(Number(text))) {
        return usageError(`${name} is too large for an exact JSON number: ${shorten(text, 60)}`);
      }
      if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
      return mismatch(name, 'a number', text);
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      return mismatch(name, 'true or false', text);
    case 'array':
    case 'object':
      return parseTyped(text, type, name);
    default:
      return text;
  }
}

function parseTyped(text: string, type: 'array' | 'object', name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const example = type === 'array' ? '["a", "b"]' : '{"key": "value"}';
    return usageError(`${name} must be ${type === 'array' ? 'a list' : 'an object'}, got "${shorten(text, 60)}"`, {
      hint: `Write it as JSON: ${name}='${example}'`,
    });
  }
}

function mismatch(name: string, wanted: string, got: string): HostError {
  return usageError(`${name} must be ${wanted}, got "${shorten(got, 60)}"`);
}
