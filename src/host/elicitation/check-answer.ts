import type { JsonObject } from '../../base/json.js';
import { checkContent, toContent } from '../../model/elicitation/check-field.js';
import type { Elicitation } from '../../model/hooks/hook-call.js';
import type { SchemaOutcome } from '../../model/schema/check.js';

export type ReadContent =
  | { readonly kind: 'content'; readonly content: JsonObject }
  /** Why the server would not accept the answer. */
  | { readonly kind: 'wrong'; readonly why: string };

/**
 * The content that is sent for an answer: only the requested fields, each read once, so that what is checked is what is
 * sent. Each field is checked by the specification's rules, the whole by the schema. Never rejects.
 */
export async function readContent(
  { form = NO_FORM, requestedSchema }: Elicitation,
  given: JsonObject,
  check: (schema: object, value: unknown) => Promise<SchemaOutcome>,
): Promise<ReadContent> {
  try {
    const values = form.fields.map(({ name }) => [name, Object.hasOwn(given, name) ? plain(given[name]) : undefined]);
    const content = toContent(form, new Map(values as [string, unknown][]));
    const why = checkContent(form, content);
    if (why !== undefined) return { kind: 'wrong', why };
    const outcome = await check(requestedSchema as object, content);
    return outcome.kind === 'invalid'
      ? { kind: 'wrong', why: outcome.issues[0]!.message }
      : { kind: 'content', content };
  } catch {
    return { kind: 'wrong', why: 'it cannot be read' };
  }
}

/** Copies an array: an embedder's could return other values when it is read again. */
function plain(value: unknown): unknown {
  return Array.isArray(value) ? Array.from(value as readonly unknown[]) : value;
}

const NO_FORM = { kind: 'form', fields: [] } as const;
