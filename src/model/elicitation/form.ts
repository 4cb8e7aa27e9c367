// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema

/** A server's form, ready to be shown: all text that is shown has passed the text gate. */
export interface Form {
  readonly kind: 'form';
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
  readonly label: string;
  /** The server's description, in one line. */
  readonly about: string | undefined;
  readonly isRequired: boolean;
  /** The field's whole schema, including keywords that no sentence of ours explains. */
  readonly schema: { readonly [keyword: string]: unknown };
}

/** A field for a text. */
export interface TextField extends AnyField {
  readonly kind: 'text';
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly format: TextFormat | undefined;
  readonly default: string | undefined;
}

/** A field for a number. */
export interface NumberField extends AnyField {
  readonly kind: 'number';
  readonly isInteger: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly default: number | undefined;
}

/** A field for yes or no. */
export interface BooleanField extends AnyField {
  readonly kind: 'boolean';
  readonly default: boolean | undefined;
}

/** A field for one of several values. */
export interface ChoiceField extends AnyField {
  readonly kind: 'choice';
  readonly choices: readonly Choice[];
  readonly default: string | undefined;
}

/** A field for any of several values. */
export interface ChoicesField extends AnyField {
  readonly kind: 'choices';
  readonly choices: readonly Choice[];
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly default: readonly string[] | undefined;
}

/** One value that a form offers, with its title. */
export interface Choice {
  readonly value: string;
  /** Shown instead of `value`. */
  readonly label: string;
}
