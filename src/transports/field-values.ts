import type { Secret } from '../base/secret.js';
import type { FieldTable, Shape } from '../model/fields/shape.js';

/** The value that a shape is read as. */
type ValueOf<S extends Shape> = S extends { readonly kind: 'text'; readonly isSecret: true }
  ? Secret
  : S extends { readonly kind: 'text' }
    ? string
    : S extends { readonly kind: 'flag' }
      ? boolean
      : S extends { readonly kind: 'number' }
        ? number
        : S extends { readonly kind: 'word'; readonly words: readonly (infer Word)[] }
          ? Word
          : S extends { readonly kind: 'exactly'; readonly value: infer Value }
            ? Value
            : S extends { readonly kind: 'list'; readonly of: infer Of extends Shape }
              ? readonly ValueOf<Of>[]
              : S extends { readonly kind: 'map'; readonly of: infer Of extends Shape }
                ? Readonly<Record<string, ValueOf<Of>>>
                : S extends { readonly kind: 'object'; readonly fields: infer Table extends FieldTable }
                  ? Read<Table>
                  : S extends { readonly kind: 'either'; readonly of: readonly (infer Of extends Shape)[] }
                    ? ValueOf<Of>
                    : unknown;

/** The fields of a table as they are read. */
export type Read<Table extends FieldTable> = { readonly [Name in keyof Table]?: ValueOf<Table[Name]['shape']> };
