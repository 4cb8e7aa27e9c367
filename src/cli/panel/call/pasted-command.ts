import { isObject } from '../../../base/json.js';
import { shellWord } from '../../../base/shell-word.js';

export interface CommandParts {
  readonly server: string;
  readonly tool: string;
  /** The name that the model uses. */
  readonly name: string;
  readonly input: { readonly [name: string]: unknown };
  readonly inputSchema: object;
}

/**
 * A call as a command to paste. Every value is one word of a POSIX shell or of fish, which runs nothing of it, and the whole is
 * one line of visible characters: the rest is written as JSON escapes, so that what is shown is what is copied.
 */
export function pastedCommand({ server, tool, name, input, inputSchema }: CommandParts): string {
  const words = toWords(input, inputSchema);
  const spoken = `${server}.${tool}`;
  // A word with other characters could be a flag, a URL or a path.
  return ['plugboard', 'call', /^\w[\w.@-]*$/u.test(spoken) ? spoken : shellWord(escapeHidden(name)), ...words].join(
    ' ',
  );
}

function toWords(input: CommandParts['input'], inputSchema: object): readonly string[] {
  const entries = Object.entries(input);
  if (!entries.every(([name]) => PLAIN_NAME.test(name))) return ['--args', shellWord(toJson(input))];
  return entries.map(([name, value]) => {
    const types = typesOf(inputSchema, name);
    if (isPlainText(value) && types.every((type) => type === 'string')) return `${name}=${shellWord(value)}`;
    if (types.length === 1 && isScalar(value, types[0])) return `${name}=${String(value)}`;
    return `${name}:=${shellWord(toJson(value))}`;
  });
}

/** Whether `name=value` keeps the text as it is. `name=@value` would read a file. */
function isPlainText(value: unknown): value is string {
  return typeof value === 'string' && !value.startsWith('@') && escapeHidden(value) === value;
}

/** Whether `name=value` is read as this number or boolean because of the schema. */
function isScalar(value: unknown, type: unknown): boolean {
  if (typeof value === 'boolean') return type === 'boolean';
  if (typeof value !== 'number' || (type !== 'number' && type !== 'integer')) return false;
  return Number.isSafeInteger(value) || !Number.isInteger(value);
}

/** The types that the schema gives an argument; none where it does not say. */
function typesOf(schema: object, name: string): readonly unknown[] {
  const properties = 'properties' in schema && isObject(schema.properties) ? schema.properties : {};
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const type = isObject(property) ? property['type'] : undefined;
  if (type === undefined) return [];
  return Array.isArray(type) ? (type as readonly unknown[]) : [type];
}

function toJson(value: unknown): string {
  return escapeHidden(JSON.stringify(value));
}

/** In JSON these characters may be written as escapes, inside of texts, and outside of texts there are none. */
function escapeHidden(text: string): string {
  return text.replaceAll(HIDDEN, (letter) =>
    Array.from({ length: letter.length }, (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
}

const PLAIN_NAME = /^[A-Za-z_][\w.]*$/u;
/** Everything that a terminal does not show as itself: controls, marks of direction, odd blanks, lone surrogates. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu;
