import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, normalize, resolve, sep } from 'node:path';
import { HostError } from '../base/errors.js';
import { errorCodeOf } from '../edge/files/write-error.js';
import { keepResults } from '../edge/spill/keep-results.js';
import { isResultName } from '../edge/spill/result-names.js';
import type { FolderLimits } from '../edge/spill/tidy-folder.js';
import { looksSecret } from '../model/redaction/secret-files.js';
import { gateText } from '../model/text/text-gate.js';
import type { CallContext, Tool } from '../model/tool.js';
import { readCharacters, readLines } from '../results/binary/file-part.js';
import { openInside, type OpenedFile, realFolders } from '../results/open-inside.js';
import { notesOf } from '../results/result-notes.js';
import { sniffType } from '../results/binary/sniff-type.js';
import { addFindings, type Findings } from '../results/text-slices.js';
import { builtInJsonSchemas } from './built-in-json-schemas.js';
import { type BuiltInAnswer, type BuiltInInput, type BuiltInTool, toTool } from './built-in.js';

export interface ReadFileToolOptions {
  /** Folders that may be read: saved results, and the project. */
  readonly roots: () => readonly string[];
  /** Folders that are never shown, because they hold the user's secrets; `but`: a folder inside them that is. */
  /** What a saved result that is not there any more was deleted for. */
  readonly limits?: (() => FolderLimits) | undefined;
  readonly closed?: { readonly folders: readonly string[]; readonly but: string | undefined } | undefined;
  /** Maximum tokens of a result; 25,000 by default. */
  readonly tokenLimit?: number | undefined;
}

/** Reads a part of a text file: how a model reads what was too large to be shown. */
export function readFileTool(options: ReadFileToolOptions): BuiltInTool {
  const { roots, closed = NOTHING, limits, tokenLimit = TOKENS } = options;
  const tool = toTool({
    name: 'Read',
    title: 'Read a file',
    description:
      'Reads a part of a text file: of a result that was too large to be shown and is saved to a file, or of the project. ' +
      'By lines (offset, limit), or, where lines are very long, by characters.',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    inputSchema: builtInJsonSchemas.Read,
    run: (input, context) => read(input, context, { roots: roots(), closed, limits, tokenLimit: tokenLimit * SHARE }),
  });
  const traitsOf: Tool['traitsOf'] = ({ path }) =>
    typeof path === 'string' && isSecret(path, closed) ? { isSecret: true } : undefined;
  return { ...tool, traitsOf };
}

const TOKENS = 25_000;
const SHARE = 0.9; // leaves room for the surrounding text, so that the result is not saved to a file again
const LINES = 500;

interface Bounds {
  readonly roots: readonly string[];
  readonly closed: NonNullable<ReadFileToolOptions['closed']>;
  readonly limits: ReadFileToolOptions['limits'];
  readonly tokenLimit: number;
}

async function read(
  input: BuiltInInput<'Read'>,
  { signal }: CallContext,
  { roots, closed, limits, tokenLimit }: Bounds,
): Promise<BuiltInAnswer> {
  const { path } = input;
  const isDecided = isSecret(path, closed);
  const opened = await openInside(path, {
    roots,
    refuses: async (real) => {
      if (await isClosed(real, closed)) return notShown(path);
      return !isDecided && looksSecret(real) && !(await isResult(real, closed)) ? notFollowed(path) : undefined;
    },
  }).catch((error: unknown) => {
    throw limits && wasSaved(path, closed, error) ? deletedError(path, limits(), error) : error;
  });
  await using file: FileHandle = opened.file;
  await refuseBinary(opened);
  if (wasSaved(path, closed)) await keepResults([opened.path]);
  const findings: Findings = new Map();
  const range = { tokenLimit, signal };
  const text = input.characters
    ? await byCharacters(file, { ...range, ...input.characters }, findings)
    : await byLines(opened, { ...range, offset: input.offset ?? 0, limit: input.limit ?? LINES }, findings);
  const content = [{ type: 'text', text }] as const;
  return { content, notes: notesOf(content, findings) };
}

const NOTHING = { folders: [], but: undefined };

/** Judged by the path as given, which permissions decide about. Saved results are exempt: Plugboard names them. */
function isSecret(path: string, { but }: Bounds['closed']): boolean {
  const given = normalize(path);
  return looksSecret(given) && (but === undefined || !given.startsWith(but + sep));
}

async function isClosed(real: string, closed: Bounds['closed']): Promise<boolean> {
  return (await isInsideOne(real, closed.folders)) && !(await isResult(real, closed));
}

/** Whether the path is that of a saved result, as a conversation was told it. `error`: which is not there any more. */
function wasSaved(path: string, { but }: Bounds['closed'], error?: unknown): boolean {
  if (but === undefined || dirname(resolve(but, path)) !== but || !isResultName(basename(path))) return false;
  return error === undefined || (error instanceof HostError && errorCodeOf(error.cause) === 'ENOENT');
}

function deletedError(path: string, { bytes, ageMs }: FolderLimits, cause: unknown): HostError {
  const days = Math.round(ageMs / DAY_MS);
  const kept = `for ${days} day${days === 1 ? '' : 's'}, and ${Math.round(bytes / MEGABYTE)} MB of them together`;
  return new HostError('bad-input', `${path} was deleted: saved results are kept ${kept}, the newest`, {
    hint: 'Make the call again whose result it was, if you still need it',
    cause,
  });
}

const DAY_MS = 86_400_000;
const MEGABYTE = 1_048_576;

async function isResult(real: string, { but }: Bounds['closed']): Promise<boolean> {
  return but !== undefined && (await isInsideOne(real, [but]));
}

function notShown(path: string): HostError {
  return new HostError('denied', `${path} is not shown: what Plugboard itself keeps is nobody else's`, {
    hint: 'Results that were saved to files, and files of the project, can be read',
  });
}

/** The user is asked about the path as given, which does not show that it leads to secrets. */
function notFollowed(path: string): HostError {
  return new HostError('denied', `${path} leads to a place for secrets, which its own path does not say`, {
    hint: 'Read takes such a file by the path where it really is, and asks the user first',
  });
}

async function isInsideOne(path: string, folders: readonly string[]): Promise<boolean> {
  return (await realFolders(folders)).some((real) => path === real || path.startsWith(real + sep));
}

async function refuseBinary({ file, path, bytes }: OpenedFile): Promise<void> {
  const buffer = Buffer.alloc(SNIFFED);
  const { bytesRead } = await file.read(buffer, 0, SNIFFED, 0);
  const first = buffer.subarray(0, bytesRead);
  const { mimeType } = sniffType(first, bytesRead === bytes);
  // A text in an old encoding is still readable.
  if (mimeType === 'text/plain' || (mimeType === 'application/octet-stream' && !first.includes(0))) return;
  throw new HostError('bad-input', `${path} is no text: ${mimeType}, ${bytes} bytes`, {
    hint: 'Read shows texts only; use a tool that can open such a file',
  });
}

const SNIFFED = 8_192;

type Range<Of extends (file: FileHandle, range: never) => unknown> = Parameters<Of>[1];

async function byLines(opened: OpenedFile, range: Range<typeof readLines>, findings: Findings): Promise<string> {
  const { offset } = range;
  const { lines, total } = await readLines(opened.file, range);
  if (lines.length === 0) {
    return total === 0 ? '[The file is empty]' : `[There is no line ${offset}: the file has ${total} lines]`;
  }
  const width = String(offset + lines.length).length;
  const shown = lines.map(({ text, left }, index) => {
    const gated = gateText(text);
    addFindings(findings, gated.findings);
    const rest = left === 0 ? '' : ` … [${left} more bytes of this line: read them by characters]`;
    // Other line ends inside a line would shift the numbers of the next ones.
    return `${String(offset + index).padStart(width)}\t${gated.text.replaceAll('\n', ' ')}${rest}`;
  });
  const next = offset + lines.length;
  const all = total === undefined ? `a file of ${opened.bytes} bytes` : `${total}`;
  const more = total === next ? 'the end of the file' : `go on with offset ${next}`;
  return `${shown.join('\n')}\n[Lines ${offset} to ${next - 1} of ${all}; ${more}]`;
}

async function byCharacters(
  file: FileHandle,
  range: Range<typeof readCharacters>,
  findings: Findings,
): Promise<string> {
  const { from } = range;
  const { text, isEnd } = await readCharacters(file, range);
  if (text === '') return `[The file has no character ${from}]`;
  const gated = gateText(text);
  addFindings(findings, gated.findings);
  const next = from + text.length;
  const more = isEnd ? 'the end of the file' : `go on with from ${next}`;
  return `${gated.text}\n[Characters ${from} to ${next - 1}; ${more}]`;
}
