// https://platform.openai.com/docs/api-reference/chat-streaming
import { isObject, type JsonObject, parseJson } from '../../base/json.js';
import { randomUUID } from '../../edge/random-hex.js';
import type { AssistantPart } from '../message.js';
import type { ModelEvent } from '../model-port.js';
import { readCallInput } from './call-input.js';

/**
 * Puts the calls of an answer together from their pieces. OpenAI gives each call an index, and names it in its first piece. Others leave out
 * the index or the id, give every call index 0, say the name again with every piece, or send a call whole.
 */
export class OpenaiCalls {
  readonly #calls: OpenCall[] = [];
  /** The last call of each index. */
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();

  /** What a piece begins; undefined where it is none. */
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

  /** All calls, now that nothing more comes; undefined where one of them has no name. */
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

  /** The call that a piece may belong to. One that says neither which nor what goes on where the last one ended. */
  #known({ index, id, name }: Piece): OpenCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    return (id === '' ? undefined : this.#byId.get(id)) ?? (name === '' ? this.#calls.at(-1) : undefined);
  }

  #open({ index, id, name }: Piece): OpenCall {
    // Two calls of one id would get one result.
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
  /** Empty: it says none. */
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
  /** Whoever waits has heard that it is being written. */
  isTold: boolean;
  /** Arguments that begin anew have come before those that were begun had ended: they are part of them. */
  isNested: boolean;
}

/** A piece of the same index that is a call of its own: of another name, or with arguments that begin where the last ones have ended. */
function isAnother({ id, name, text }: Piece, call: OpenCall): boolean {
  if (name === '' || call.name === '') return false;
  if (name !== call.name) return true;
  if (!/^\s*[{[]/u.test(text)) return false;
  if (id !== '' && id !== call.id) return true;
  // Read once for each call: whoever sends a long one in many pieces that look like a beginning would have it read as often.
  if (call.isNested) return false;
  call.isNested = parseJson(call.text) === undefined;
  return !call.isNested;
}

/** Empty where nothing is said, undefined where it is no text. */
function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : (value ?? '') === '' ? '' : undefined;
}

/** What Google's models want to have back with a call. */
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
