// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject } from '../../base/json.js';
import { shorten } from '../../base/shorten.js';
import { HEADER_MISMATCH } from '../../wire/rpc-codes.js';
import { NAMED_BY } from '../../wire/eras/named-by.js';

/** An argument that a tool's schema marks with `x-mcp-header`. */
export interface MarkedArgument {
  readonly header: string;
  readonly path: readonly string[];
}

export interface ComparedRequest {
  /** Names and values in turn: Node joins headers that come twice. */
  readonly rawHeaders: readonly string[];
  readonly method: string;
  /** With `_meta`. */
  readonly params: JsonObject;
  /** What the called tool marks; empty for other requests, and where the tool is not known. */
  readonly marked?: readonly MarkedArgument[] | undefined;
}

/** A JSON-RPC error, for an answer with status 400. */
export interface HeaderMismatch {
  readonly code: typeof HEADER_MISMATCH;
  readonly message: string;
}

/**
 * Compares the headers of a modern request, which proxies act upon, with its body, which we act upon. Undefined where
 * they say the same. What is done never follows from a header.
 */
export function compareHeaders({
  rawHeaders,
  method,
  params,
  marked = NONE,
}: ComparedRequest): HeaderMismatch | undefined {
  const found: FoundHeaders = { version: undefined, method: undefined, name: undefined, arguments: undefined };
  const twice = findHeaders(rawHeaders, found);
  if (twice !== undefined) return mismatch(`the header ${twice} comes twice`);
  const { _meta: meta } = params;
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  if (found.version === undefined) return mismatch('the header MCP-Protocol-Version is missing');
  if (found.version !== version) return differing('MCP-Protocol-Version', found.version, version);
  if (found.method === undefined) return mismatch('the header Mcp-Method is missing');
  // Of methods the text is never encoded, but our own client would encode an odd one.
  if (found.method !== method && decodeValue(found.method) !== method)
    return differing('Mcp-Method', found.method, method);
  return (
    compareName(found.name, method, params) ??
    (method === 'tools/call' ? compareArguments(found, params, marked) : undefined)
  );
}

interface FoundHeaders {
  version: string | undefined;
  method: string | undefined;
  name: string | undefined;
  /** `Mcp-Param-*` by the rest of the name in lower case. */
  arguments: Map<string, string> | undefined;
}

/** One pass over all headers. Returns the name of one that comes twice. */
function findHeaders(rawHeaders: readonly string[], found: FoundHeaders): string | undefined {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at]!;
    // Each of the names begins with this letter.
    if ((raw.charCodeAt(0) | LOWER) !== LETTER_M) continue;
    const name = raw.toLowerCase();
    const value = rawHeaders[at + 1]!;
    if (name === 'mcp-protocol-version') {
      if (found.version !== undefined) return raw;
      found.version = value;
    } else if (name === 'mcp-method') {
      if (found.method !== undefined) return raw;
      found.method = value;
    } else if (name === 'mcp-name') {
      if (found.name !== undefined) return raw;
      found.name = value;
    } else if (name.startsWith(PARAM)) {
      found.arguments ??= new Map();
      const rest = name.slice(PARAM.length);
      if (found.arguments.has(rest)) return raw;
      found.arguments.set(rest, value);
    }
  }
  return undefined;
}

function compareName(header: string | undefined, method: string, params: JsonObject): HeaderMismatch | undefined {
  const field = NAMED_BY.get(method);
  if (field === undefined) return undefined;
  const name = params[field];
  // Tasks are an extension, whose clients may know nothing of this header.
  if (header === undefined) return REQUIRED.has(method) ? mismatch('the header Mcp-Name is missing') : undefined;
  const text = decodeValue(header);
  if (text === undefined) return mismatch('the value of the header Mcp-Name is not valid');
  return text === name ? undefined : differing('Mcp-Name', text, name);
}

function compareArguments(
  { arguments: headers }: FoundHeaders,
  { arguments: input }: JsonObject,
  marked: readonly MarkedArgument[],
): HeaderMismatch | undefined {
  for (const { header, path } of marked) {
    const name = `Mcp-Param-${header}`;
    const sent = headers?.get(header.toLowerCase());
    const value = valueAt(path, input);
    if (sent === undefined) {
      if (toText(value) === undefined) continue;
      return mismatch(`the header ${name} is missing`);
    }
    const text = decodeValue(sent);
    if (text === undefined) return mismatch(`the value of the header ${name} is not valid`);
    if (!isSame(text, value)) return differing(name, text, value);
  }
  return undefined;
}

function valueAt(path: readonly string[], input: unknown): unknown {
  let value = input;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Undefined for what no client puts into a header. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Numbers are compared as numbers: `42.0` is 42. */
function isSame(text: string, value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && NUMBER.test(text) && Number(text) === value;
  return toText(value) === text;
}

/** What a header value stands for; undefined where it has other characters than a header may, or is no base64. */
function decodeValue(value: string): string | undefined {
  if (!PLAIN.test(value)) return undefined;
  if (!value.startsWith(MARK_BEGIN) || !value.endsWith(MARK_END) || value.length < MARK_BEGIN.length + MARK_END.length)
    return value;
  const base64 = value.slice(MARK_BEGIN.length, -MARK_END.length);
  const bytes = Buffer.from(base64, 'base64');
  // Buffer.from skips what is no base64, so that one value would have many texts.
  return BASE64.test(base64) && base64.length % 4 === 0 && isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

function differing(name: string, header: string, body: unknown): HeaderMismatch {
  const inBody = toText(body);
  const told = inBody === undefined ? 'the body has none' : `the body says '${forMessage(inBody)}'`;
  return mismatch(`the header ${name} says '${forMessage(header)}', ${told}`);
}

function mismatch(what: string): HeaderMismatch {
  return { code: HEADER_MISMATCH, message: `Header mismatch: ${what}` };
}

/** A text of the client in a message that goes back to it: short, and in one line. */
function forMessage(text: string): string {
  return shorten(text.slice(0, TOLD_LIMIT + 1).replaceAll(/[^\x20-\x7e]/gu, '?'), TOLD_LIMIT);
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const NONE: readonly MarkedArgument[] = [];
const PARAM = 'mcp-param-';
const LOWER = 0x20;
const LETTER_M = 0x6d;
const REQUIRED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
const PLAIN = /^[\x20-\x7e\t]*$/u;
const MARK_BEGIN = '=?base64?';
const MARK_END = '?=';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/u;
const NUMBER = /^-?\d{1,17}(?:\.0{1,17})?$/u;
const TOLD_LIMIT = 80; // characters
