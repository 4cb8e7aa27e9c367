import { checkContent } from '../../model/elicitation/check-field.js';
import type { HookQuestion } from '../../model/hook-call.js';
import type { SchemaOutcome } from '../../model/schema/check.js';

/** Why a form would not be taken: each field by what the specification says of it, and the whole by the schema. */
export async function whatIsWrong(
  { form, requestedSchema }: HookQuestion,
  content: { readonly [field: string]: unknown },
  check: (schema: object, value: unknown) => Promise<SchemaOutcome>,
): Promise<string | undefined> {
  const wrong = form && checkContent(form, content);
  if (wrong !== undefined) return wrong;
  const outcome = await check(requestedSchema as object, content);
  return outcome.kind === 'invalid' ? outcome.issues[0]!.message : undefined;
}
