// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema

/** A server's form, ready to be shown: all text that is shown has passed the text gate. */
export interface Form {
  readonly kind: 'form';
  /** In the server's order. */
  readonly fields: readonly Field[];
}

/** Why the user is not asked, as a sentence for the server. */
export interface FormRefusal {
  readonly kind: 'refused';
  readonly reason: string;
}

/** One field of a form. */
export type Field = TextField | NumberField | BooleanField | ChoiceField | ChoicesField;
/** What a text has to look like. */
export type TextFormat = 'email' | 'uri' | 'date' | 'date-time';

/** What every field of a form has. */
export interface AnyField {
  /** The answer's key exactly as the server spells it: to be sent, never shown. */
  readonly name: string;
  /** The field's title in one line; its name, made safe to show, where it has no title. */
  readonly label: string;
  /** The server's description, in one line. */
  readonly about: string | undefined;
  /** Whether the server demands a value. */
  readonly isRequired: boolean;
  /** The field's whole schema, including keywords that no sentence of ours explains. */
  readonly schema: { readonly [keyword: string]: unknown };
}

/** A field for a text. */
export interface TextField extends AnyField {
  readonly kind: 'text';
  /** In characters; undefined: no limit. */
  readonly minLength: number | undefined;
  /** In characters; undefined: no limit. */
  readonly maxLength: number | undefined;
  /** Undefined: any text. */
  readonly format: TextFormat | undefined;
  /** The server's suggestion; undefined: none. */
  readonly default: string | undefined;
}

/** A field for a number. */
export interface NumberField extends AnyField {
  readonly kind: 'number';
  /** Whether fractions are refused. */
  readonly isInteger: boolean;
  /** Inclusive; undefined: no limit. */
  readonly minimum: number | undefined;
  /** Inclusive; undefined: no limit. */
  readonly maximum: number | undefined;
  /** The server's suggestion; undefined: none. */
  readonly default: number | undefined;
}

/** A field for yes or no. */
export interface BooleanField extends AnyField {
  readonly kind: 'boolean';
  /** The server's suggestion; undefined: none. */
  readonly default: boolean | undefined;
}

/** A field for one of several values. */
export interface ChoiceField extends AnyField {
  readonly kind: 'choice';
  /** In the server's order. */
  readonly choices: readonly Choice[];
  /** The `value` of the choice that the server suggests; undefined: none. */
  readonly default: string | undefined;
}

/** A field for any of several values. */
export interface ChoicesField extends AnyField {
  readonly kind: 'choices';
  /** In the server's order. */
  readonly choices: readonly Choice[];
  /** How many have to be chosen at least; undefined: no limit. */
  readonly minItems: number | undefined;
  /** How many may be chosen at most; undefined: no limit. */
  readonly maxItems: number | undefined;
  /** The `value`s that the server suggests; undefined: none. */
  readonly default: readonly string[] | undefined;
}

/** One value that a form offers, with its title. */
export interface Choice {
  /** What is sent to the server. */
  readonly value: string;
  /** Shown instead of `value`. */
  readonly label: string;
}
