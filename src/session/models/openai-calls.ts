// https://platform.openai.com/docs/api-reference/chat-streaming
import { isObject, type JsonObject, parseJson } from '../../base/json.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { AssistantPart } from '../message.js';
import type { ModelEvent } from '../model-port.js';
import { readCallInput } from './call-input.js';

/**
 * Builds the calls of an answer from their pieces. OpenAI gives each call an index, and its name in the first piece.
 * Others leave out the index or the id, give every call index 0, repeat the name in every piece, or send a call whole.
 */
export class OpenaiCalls {
  readonly #calls: OpenCall[] = [];
  /** The last call of each index. */
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();

  /** The events of a piece: the call that it begins. Undefined for what is no piece of a call. */
  read(piece: unknown): readonly ModelEvent[] | undefined {
    const { index: at, id: rawId, function: made, extra_content: extra }: JsonObject = isObject(piece) ? piece : {};
    const { name: rawName, arguments: rawText }: JsonObject = isObject(made) ? made : {};
    const [id, name, text] = [toText(rawId), toText(rawName), toText(rawText)];
    if (!isObject(made) || id === undefined || name === undefined || text === undefined) return undefined;
    const index = typeof at === 'number' ? at : undefined;
    const call = this.#find({ index, id, name, text });
    call.text += text;
    call.signature ??= toSignature(extra);
    if (call.isTold || call.name === '') return [];
    call.isTold = true;
    return [{ kind: 'writing-call', id: call.id, name: call.name }];
  }

  /** All calls, after the last piece; undefined when one of them has no name. */
  end(): readonly AssistantPart[] | undefined {
    if (this.#calls.some(({ name }) => name === '')) return undefined;
    const isNumbered = this.#calls.every(({ index }) => index !== undefined);
    const calls = isNumbered ? this.#calls.toSorted((one, other) => one.index! - other.index!) : this.#calls;
    return calls.map(toPart);
  }

  #find(piece: Piece): OpenCall {
    const known = this.#known(piece);
    if (!known || isAnother(piece, known)) return this.#open(piece);
    if (known.name === '') known.name = piece.name;
    return known;
  }

  /** The call that a piece may belong to. A piece without index, id and name continues the last call. */
  #known({ index, id, name }: Piece): OpenCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    return (id === '' ? undefined : this.#byId.get(id)) ?? (name === '' ? this.#calls.at(-1) : undefined);
  }

  #open({ index, id, name }: Piece): OpenCall {
    // Two calls with one id would get one result.
    const own = id === '' || this.#byId.has(id) ? `call_${randomUUID()}` : id;
    const call: OpenCall = { id: own, index, name, text: '', isTold: false, isNested: false };
    this.#calls.push(call);
    if (id !== '') this.#byId.set(id, call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

interface Piece {
  readonly index: number | undefined;
  /** Empty when the piece has none. */
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

interface OpenCall {
  readonly id: string;
  readonly index: number | undefined;
  name: string;
  text: string;
  signature?: string | undefined;
  /** `writing-call` has been emitted. */
  isTold: boolean;
  /** A piece that looks like new arguments came before the old ones were complete, so it belongs to them. */
  isNested: boolean;
}

/** Whether a piece of one index is another call: by its name, or by arguments that begin after complete ones. */
function isAnother({ id, name, text }: Piece, call: OpenCall): boolean {
  if (name === '' || call.name === '') return false;
  if (name !== call.name) return true;
  if (!/^\s*[{[]/u.test(text)) return false;
  if (id !== '' && id !== call.id) return true;
  // Parsed once for each call: a long one in many pieces that look like a beginning would be parsed as often.
  if (call.isNested) return false;
  call.isNested = parseJson(call.text) === undefined;
  return !call.isNested;
}

/** Empty when the value is missing, undefined when it is not a string. */
function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : (value ?? '') === '' ? '' : undefined;
}

/** The signature that Google's models require back with a call. */
function toSignature(extra: unknown): string | undefined {
  const google = isObject(extra) ? extra['google'] : undefined;
  const signature = isObject(google) ? google['thought_signature'] : undefined;
  return typeof signature === 'string' && signature !== '' ? signature : undefined;
}

function toPart({ id, name, text, signature }: OpenCall): AssistantPart {
  const signed = signature !== undefined && { extra_content: { google: { thought_signature: signature } } };
  const written = text.trim() === '' ? '{}' : text;
  return { kind: 'call', id, name, ...readCallInput(text), extra: { arguments: written, ...signed } };
}
