import { isObject } from '../../base/json.js';
import { unreachable } from '../../base/never.js';

/** What a value of the configuration may be. */
export type Shape =
  | { readonly kind: 'text'; readonly isSecret?: true; readonly isFilled?: true }
  | { readonly kind: 'flag' }
  /** A whole number; with `isFraction` any number above `min`. */
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly isFraction?: true }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'exactly'; readonly value: boolean | null }
  | { readonly kind: 'list'; readonly of: Shape; readonly most?: number; readonly least?: number }
  /** An object of values of one shape. `names`: a regular expression for its keys. */
  | { readonly kind: 'map'; readonly of: Shape; readonly names?: string }
  /** `isOpen`: other fields are allowed, and nobody is told about them. `count`: exactly so many fields. */
  | { readonly kind: 'object'; readonly fields: FieldTable; readonly isOpen?: true; readonly count?: number }
  /** `expected` completes the sentence "expected ...". */
  | { readonly kind: 'either'; readonly of: readonly Shape[]; readonly expected: string };

/** One field of the configuration: for the checks, for the reference in docs/ and for the JSON Schema of editors. */
export interface ConfigField {
  readonly shape: Shape;
  /** A sentence or two for users. */
  readonly description: string;
  /** What holds without the field, in words. */
  readonly default?: string;
  readonly isRequired?: true;
  /** Completes the sentence "expected ..." about a value that does not fit. */
  readonly expected?: string;
  readonly example?: unknown;
}

export type FieldTable = { readonly [name: string]: ConfigField };

export const someText = { kind: 'text' } as const;
/** A text that is not empty and not blank. */
export const filledText = { kind: 'text', isFilled: true } as const;
export const secretText = { kind: 'text', isSecret: true } as const;
export const yesOrNo = { kind: 'flag' } as const;
export const someTexts = { kind: 'list', of: someText } as const;
export const justFalse = { kind: 'exactly', value: false } as const;

export function wholeNumber(min: number, max: number) {
  return { kind: 'number', min, max } as const;
}

export function oneWord<const Words extends readonly string[]>(...words: Words) {
  return { kind: 'word', words } as const;
}

export function listOf<const Of extends Shape>(of: Of) {
  return { kind: 'list', of } as const;
}

export function mapOf<const Of extends Shape>(of: Of, names?: string) {
  return { kind: 'map', of, ...(names !== undefined && { names }) } as const;
}

export function objectOf<const Fields extends FieldTable>(fields: Fields) {
  return { kind: 'object', fields } as const;
}

/** An object that may have other fields besides. */
export function openObject<const Fields extends FieldTable>(fields: Fields) {
  return { kind: 'object', fields, isOpen: true } as const;
}

export function either<const Of extends readonly Shape[]>(expected: string, ...of: Of) {
  return { kind: 'either', of, expected } as const;
}

/** Whether a value has a shape. Names of fields that the shape does not have are not looked at. */
export function fitsShape(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' && (shape.isFilled !== true || value.trim() !== '');
    case 'flag':
      return typeof value === 'boolean';
    case 'number':
      return isNumber(shape, value);
    case 'word':
      return shape.words.some((word) => word === value);
    case 'exactly':
      return value === shape.value;
    case 'list':
      return (
        Array.isArray(value) &&
        value.length >= (shape.least ?? 0) &&
        value.length <= (shape.most ?? Infinity) &&
        value.every((element) => fitsShape(shape.of, element))
      );
    case 'map':
      return (
        isObject(value) && Object.keys(value).every((key) => fitsKey(shape, key) && fitsShape(shape.of, value[key]))
      );
    case 'object':
      return isObject(value) && Object.keys(shape.fields).every((name) => fitsField(shape.fields[name]!, value, name));
    case 'either':
      return shape.of.some((one) => fitsShape(one, value));
    default:
      return unreachable(shape);
  }
}

function isNumber({ min, max, isFraction }: Extract<Shape, { readonly kind: 'number' }>, value: unknown): boolean {
  if (typeof value !== 'number' || value > max) return false;
  return isFraction === true ? value > min : Number.isInteger(value) && value >= min;
}

function fitsKey({ names }: Extract<Shape, { readonly kind: 'map' }>, key: string): boolean {
  return names === undefined || new RegExp(names, 'u').test(key);
}

/** Whether an object's field fits, which may be absent. */
export function fitsField(
  { shape, isRequired }: ConfigField,
  value: { readonly [name: string]: unknown },
  name: string,
): boolean {
  const field = Object.hasOwn(value, name) ? value[name] : undefined;
  return field === undefined ? isRequired !== true : fitsShape(shape, field);
}
