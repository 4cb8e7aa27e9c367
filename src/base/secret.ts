/** Shown in place of a secret to people, in logs and in JSON. */
export const MASK = '••••';

/**
 * A value that must be sent and never shown. It is wrapped where it is read and revealed where it is sent;
 * printing, logging, inspecting or serialising it gives the mask.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK;
  }
}
