// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema

/** What a server asks a person, ready to be shown: everything in it that is read has passed the text gate. */
export interface Form {
  readonly kind: 'form';
  readonly fields: readonly Field[];
}

/** Why nobody is asked, in a sentence that the server gets to read. */
export interface FormRefusal {
  readonly kind: 'refused';
  readonly reason: string;
}

export type Field = TextField | NumberField | BooleanField | ChoiceField | ChoicesField;
export type TextFormat = 'email' | 'uri' | 'date' | 'date-time';

interface AnyField {
  /** The key of its answer, exactly as the server spells it: for the answer, not to be shown. */
  readonly name: string;
  /** One line. */
  readonly label: string;
  /** What the server says about it, in one line. */
  readonly about: string | undefined;
  readonly isRequired: boolean;
  /** All that the server wants of an answer, what no sentence of ours is about included. */
  readonly schema: { readonly [keyword: string]: unknown };
}

export interface TextField extends AnyField {
  readonly kind: 'text';
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly format: TextFormat | undefined;
  readonly default: string | undefined;
}

export interface NumberField extends AnyField {
  readonly kind: 'number';
  readonly isInteger: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly default: number | undefined;
}

export interface BooleanField extends AnyField {
  readonly kind: 'boolean';
  readonly default: boolean | undefined;
}

export interface ChoiceField extends AnyField {
  readonly kind: 'choice';
  readonly choices: readonly Choice[];
  readonly default: string | undefined;
}

/** Several of a list. */
export interface ChoicesField extends AnyField {
  readonly kind: 'choices';
  readonly choices: readonly Choice[];
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly default: readonly string[] | undefined;
}

export interface Choice {
  /** What is sent. */
  readonly value: string;
  /** What is shown. */
  readonly label: string;
}
