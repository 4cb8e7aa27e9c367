import type { JsonObject } from '../base/json.js';
import { unreachable } from '../base/never.js';
import { Spilled, spilledIn } from '../model/spilled.js';
import { gateText, isPlainText } from '../model/text/text-gate.js';
import type { ContentBlock } from '../model/content/content-block.js';
import type { ToolResult } from '../model/tool.js';
import { toSavedFile } from '../model/without-spilled.js';
import { shortErrorText } from './binary/binary-parts.js';
import { isForUserOnly, partsOf, standInFor } from './block-parts.js';
import { compactSchema } from './compact-schema.js';
import { errorText } from './error-text.js';
import { fitStructured, gateSmall } from './fit-structured.js';
import { fitText } from './fit-text.js';
import { filesBeside, flattenBlock } from './flatten-spilled.js';
import { hasCredential, notesOf } from './result-notes.js';
import { TimeSlice } from '../edge/time-slice.js';
import { isRepeatedInText, isRepeatedInTexts } from './same-as-text.js';
import { linePart, type Part, type ShapeOptions, type Shaping, textPart, type UnshapedResult } from './shaping.js';
import { textLimit } from './text-limit.js';

/**
 * A result as a model can take it: clean, within the limits, everything else in files that the model is told of.
 * Omissions are always named. A short clean text is returned unchanged, synchronously. Never throws or rejects.
 */
export function shapeResult(result: UnshapedResult, options: ShapeOptions): ToolResult | Promise<ToolResult> {
  return isFine(result, options.tokenLimit, options.maxResultChars) ? (result as ToolResult) : shape(result, options);
}

/** Whether the result needs no shaping, as most do: a few short clean texts and nothing else. */
export function isFine(
  { content, structuredContent, error }: UnshapedResult,
  tokenLimit: number,
  maxResultChars = SHORT,
): boolean {
  const { length } = content;
  if (error !== undefined || length === 0 || length > FEW) return false;
  let left = Math.min(SHORT, tokenLimit, maxResultChars);
  for (let index = 0; index < length; index++) {
    const block = content[index]!;
    const { type, text } = block;
    if (type !== 'text' || typeof text !== 'string' || text === '') return false;
    if ((left -= text.length) < 0 || hasOtherFields(block)) return false;
    if (hasCredential(text) || !(isPlainText(text) || gateText(text).text === text)) return false;
  }
  if (structuredContent === undefined) return true;
  // structuredContent that repeats the text is as clean as the text, unless escapes hide something.
  const { text } = content[0]!;
  return length === 1 && !ESCAPE.test(text as string) && isRepeatedInText(structuredContent, text as string);
}

const ESCAPE = /\\[bfru]/u;

function hasOtherFields(block: JsonObject): boolean {
  for (const field in block) if (field !== 'type' && field !== 'text') return true;
  return false;
}

const FEW = 16;
const SHORT = 8_000; // characters: fewer than the tokens from which `sizeNote` warns

async function shape(result: UnshapedResult, options: ShapeOptions): Promise<ToolResult> {
  const shaping: Shaping = { options, findings: new Map(), saved: [], notes: [...result.notes], images: 0 };
  try {
    return await shapeWith(result, shaping);
  } catch (error) {
    // A bug: nothing in here is meant to throw. The call has been made, so its caller must get a result.
    const reason = shortErrorText(error);
    const text = `The result of ${options.name} could not be shown: ${reason}`;
    const { content: _, structuredContent: __, ...rest } = result;
    return { ...rest, content: [{ type: 'text', text }], notes: [...shaping.notes, text] };
  }
}

async function shapeWith(result: UnshapedResult, shaping: Shaping): Promise<ToolResult> {
  const { options } = shaping;
  const { content: blocks, structuredContent, forUser: already = [], ...rest } = result;
  const files = filesBeside(result, result.saved.length === 0 ? [] : spilledIn([blocks, structuredContent]));
  const { parts, forUser } = await gather(blocks, shaping);
  const details = result.error && errorText(result.error);
  if (details !== undefined) parts.push(textPart(details));
  const { shown, value } = await fit(parts, structuredContent, shaping);
  const content = toContent(shown, result.outcome, options.name);
  const all = [...already, ...forUser];
  return {
    ...rest,
    content,
    ...(value !== undefined && { structuredContent: value }),
    ...(all.length > 0 && { forUser: all }),
    saved: [...files, ...shaping.saved],
    notes: [...shaping.notes, ...notesOf(content, shaping.findings)],
  };
}

/** Splits a result into what the model is shown and what only the user is. */
async function gather(
  blocks: readonly JsonObject[],
  shaping: Shaping,
): Promise<{ readonly parts: Part[]; readonly forUser: readonly ContentBlock[] }> {
  const parts: Part[] = [];
  const forUser: ContentBlock[] = [];
  const turns = new TimeSlice();
  for (const block of blocks) {
    await turns.pause();
    if (isForUserOnly(block)) {
      forUser.push(await flattenBlock(block, shaping));
      parts.push(linePart(standInFor(block)));
    } else parts.push(...(await partsOf(block, shaping)));
  }
  return { parts, forUser };
}

interface Shown {
  readonly shown: readonly Part[];
  /** structuredContent, unless it is in a file. */
  readonly value: unknown;
}

/** Texts first, then structuredContent, unless the texts repeat it. */
async function fit(parts: readonly Part[], structured: unknown, shaping: Shaping): Promise<Shown> {
  const { tokenLimit, maxResultChars } = shaping.options;
  const limit = textLimit(tokenLimit, maxResultChars);
  if (structured === undefined) {
    return { shown: (await fitText(parts, { limit, shaping })).parts, value: undefined };
  }
  if (structured instanceof Spilled) {
    const { parts: shown } = await fitText([...parts, ...spilledPart(structured, parts, shaping)], { limit, shaping });
    return { shown, value: undefined };
  }
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  if (await isRepeatedInTexts(structured, texts)) {
    const fitted = await fitText(parts, { limit, shaping, schema: () => compactSchema(structured) });
    return { shown: fitted.parts, value: fitted.isSaved ? undefined : gateSmall(structured, shaping) };
  }
  const fitted = await fitText(parts, { limit, shaping });
  const own = await fitStructured(structured, fitted.left(), shaping);
  return { shown: [...fitted.parts, ...own.parts], value: own.value };
}

/** A spilled structuredContent; one line when a spilled text begins like it. */
function spilledPart(spilled: Spilled, parts: readonly Part[], { saved }: Shaping): readonly Part[] {
  const beginning = withoutBlanks(spilled.preview);
  const isSaid = parts.some(
    (part) =>
      part.kind === 'spilled' && withoutBlanks(part.spilled.preview).slice(0, SAME) === beginning.slice(0, SAME),
  );
  if (!isSaid) return [{ kind: 'spilled', spilled }];
  saved.push(toSavedFile(spilled));
  return [linePart(`[The same as structured content is saved to ${spilled.place} (JSON, ${spilled.bytes} bytes)]`)];
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/gu, '');
}

const SAME = 500;

function toContent(parts: readonly Part[], outcome: ToolResult['outcome'], name: string): readonly ContentBlock[] {
  const content: ContentBlock[] = [];
  let lines = 0;
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
        // Some models refuse an empty text.
        if (part.text.trim() !== '') content.push({ type: 'text', text: part.text });
        break;
      case 'line':
        if (++lines <= LINES) content.push({ type: 'text', text: part.text });
        break;
      case 'image':
        content.push({ type: 'image', data: part.data, mimeType: part.mimeType });
        break;
      case 'spilled':
        break; // `fitText` has replaced these by notices
      default:
        return unreachable(part);
    }
  }
  if (lines > LINES) content.push({ type: 'text', text: `[… and ${lines - LINES} more such lines]` });
  if (content.length > 0) return content;
  const text = outcome === 'ok' ? `(${name} completed with no output)` : `(${name} failed and did not say why)`;
  return [{ type: 'text', text }];
}

const LINES = 100; // notices; a thousand images that cannot be shown do not need a line each
