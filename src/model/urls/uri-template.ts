// URI templates, as far as servers use them: https://www.rfc-editor.org/rfc/rfc6570
import { toPercent } from './canonical-url.js';

/** The names of a template's variables, without duplicates, in their order. */
export function templateVariables(template: string): readonly string[] {
  const names = new Set<string>();
  for (const part of parse(template)) {
    if (typeof part !== 'string') for (const { name } of part.variables) names.add(name);
  }
  return [...names];
}

/** The variables without a value that are required: all but those of a query. */
export function missingVariables(template: string, values: Readonly<Record<string, string>>): readonly string[] {
  const needed = parse(template).flatMap((part) => {
    return typeof part === 'string' || part.operator.named === '=' ? [] : part.variables;
  });
  return [...new Set(needed.map(({ name }) => name))].filter((name) => !Object.hasOwn(values, name));
}

/** Expands a template. Variables without a value are left out (RFC 6570); invalid expressions stay. Never throws. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return parse(template)
    .map((part) => (typeof part === 'string' ? part : expand(part, values)))
    .join('');
}

interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

interface Variable {
  readonly name: string;
  /** The prefix length in characters; default: all. */
  readonly length: number;
}

interface Operator {
  readonly first: string;
  readonly separator: string;
  /** What separates a name from its value; undefined where only values are written. */
  readonly named: '=' | '' | undefined;
  /** Whether reserved characters of a URI stay unencoded. */
  readonly isRaw: boolean;
}

const PLAIN: Operator = { first: '', separator: ',', named: undefined, isRaw: false };
const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['+', { ...PLAIN, isRaw: true }],
  ['#', { ...PLAIN, first: '#', isRaw: true }],
  ['.', { ...PLAIN, first: '.', separator: '.' }],
  ['/', { ...PLAIN, first: '/', separator: '/' }],
  [';', { ...PLAIN, first: ';', separator: ';', named: '' }],
  ['?', { ...PLAIN, first: '?', separator: '&', named: '=' }],
  ['&', { ...PLAIN, first: '&', separator: '&', named: '=' }],
]);
const VARIABLE = /^([\w.%-]{1,200})(?::([1-9]\d{0,3})|\*)?$/u;

/** Splits a template into literal texts and expressions, in one pass. */
function parse(template: string): readonly (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    const close = open === -1 ? -1 : template.indexOf('}', open);
    if (close === -1) break;
    const inside = template.slice(open + 1, close);
    const expression = inside.length <= EXPRESSION_LIMIT ? parseExpression(inside) : undefined;
    parts.push(template.slice(at, open), expression ?? template.slice(open, close + 1));
    at = close + 1;
  }
  return [...parts, template.slice(at)];
}

const EXPRESSION_LIMIT = 1_000;

function parseExpression(inside: string): Expression | undefined {
  const operator = OPERATORS.get(inside[0] ?? '');
  const variables = (operator ? inside.slice(1) : inside).split(',').map((word): Variable | undefined => {
    const [, name, length] = VARIABLE.exec(word) ?? [];
    return name === undefined ? undefined : { name, length: length === undefined ? Infinity : Number(length) };
  });
  const known = variables.filter((variable) => variable !== undefined);
  return known.length === variables.length ? { operator: operator ?? PLAIN, variables: known } : undefined;
}

function expand({ operator, variables }: Expression, values: Readonly<Record<string, string>>): string {
  const { first, separator, named, isRaw } = operator;
  const written = variables.flatMap(({ name, length }) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return [];
    const wanted = length < value.length ? Array.from(value).slice(0, length).join('') : value;
    const text = encode(wanted, isRaw);
    if (named === undefined) return [text];
    return [text === '' ? `${name}${named}` : `${name}=${text}`];
  });
  return written.length === 0 ? '' : first + written.join(separator);
}

/** Encodes all but letters, digits and `-._~`; if `isRaw`, all but the characters of a URI. */
function encode(text: string, isRaw: boolean): string {
  // Lone surrogates have no UTF-8.
  const whole = text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
  if (!isRaw) return encodeURIComponent(whole).replaceAll(/[!'()*]/gu, toPercent);
  return whole.replaceAll(/%(?![\da-f]{2})|[^\w.~:/?#[\]@!$&'()*+,;=%-]+/giu, (part) => encodeURIComponent(part));
}
