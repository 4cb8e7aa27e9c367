import type { HostError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import { usageError } from '../usage-error.js';

/** The arguments of a tool on the command line, before its schema is known. */
export interface GivenToolArguments {
  readonly words: readonly string[];
  /** `--args`: a JSON object; words override its fields. */
  readonly json: string | undefined;
  /** Reads the file of `k=@file`. */
  readonly readText: (path: string) => Promise<string>;
}

/**
 * `k=v` is text, or the type that the tool's schema gives k; `k:=json` is JSON; `k=@file` is the content of a file.
 * Throws a `HostError` that names the word.
 */
export async function toArguments(
  given: GivenToolArguments,
  inputSchema: object,
): Promise<{ [name: string]: unknown }> {
  const input = new Map<string, unknown>(Object.entries(parseObject(given.json)));
  for (const word of given.words) {
    const match = /^([^=]*?)(:?=)(@?)([\s\S]*)$/u.exec(word);
    if (!match || match[1] === '') {
      throw usageError(`"${word}" is not an argument`, { hint: 'Write name=value, name:=json or name=@file' });
    }
    const [, name = '', sign, at, rest = ''] = match;
    const text = at === '@' ? await given.readText(rest) : rest;
    input.set(name, sign === ':=' ? parseJson(text, name) : coerce(text, typeOf(inputSchema, name), name));
  }
  return Object.fromEntries(input);
}

function parseObject(json: string | undefined): object {
  if (json === undefined) return {};
  const value = parseJson(json, '--args');
  if (isObject(value)) return value;
  throw usageError('--args must be a JSON object', { hint: `Write --args '{"name": "value"}'` });
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`the value of ${name} is not valid JSON: ${shorten(text, 60)}`, {
      hint: name === '--args' ? `Write --args '{"name": "value"}'` : `For plain text write ${name}=VALUE`,
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

function coerce(text: string, type: unknown, name: string): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      if (/^\s*-?\d+\s*$/u.test(text) && !Number.isSafeInteger(Number(text))) {
        throw usageError(`${name} is too large for an exact JSON number: ${shorten(text, 60)}`, {
          hint: `Write ${name}:='"..."' if the tool takes a text`,
        });
      }
      if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
      throw mismatch(name, 'a number', text);
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw mismatch(name, 'true or false', text);
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
    throw usageError(`${name} must be ${type === 'array' ? 'a list' : 'an object'}, got "${shorten(text, 60)}"`, {
      hint: `Write it as JSON: ${name}='${example}'`,
    });
  }
}

function mismatch(name: string, wanted: string, got: string): HostError {
  return usageError(`${name} must be ${wanted}, got "${shorten(got, 60)}"`, {
    hint: `Write ${name}:=json to send something else`,
  });
}
