import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject } from '../../src/base/json.js';

export type Json = { readonly [key: string]: unknown };

/** How one API is spoken: what it refuses, and how an answer is written. */
export interface Dialect<Turn> {
  readonly path: string;
  /** Every reason for which the real API would answer 400. */
  readonly refusals: (body: Json, headers: IncomingMessage['headers']) => readonly string[];
  /** What the model would not say, having read this. */
  readonly misreadings: (turn: Turn, body: Json) => readonly string[];
  readonly write: (turn: Turn, body: Json) => { readonly type: string; readonly text: string };
  readonly writeError: (message: string) => Json;
}

export interface ScriptedApi extends AsyncDisposable {
  /** Of the machine, without a path. */
  readonly url: string;
  readonly requests: readonly Json[];
  /** Why requests were refused, or the script is wrong. */
  readonly refused: readonly string[];
  /** Resolves when so many requests have come. */
  asked(count: number): Promise<void>;
}

/** A model that says what is in the script, behind an API that is as strict as the real one. `undefined`: it never answers. */
export async function openScriptedApi<Turn>(
  dialect: Dialect<Turn>,
  script: (turn: number, body: Json) => Turn | undefined,
): Promise<ScriptedApi> {
  const requests: Json[] = [];
  const refused: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await readText(request)) as unknown;
    if (request.method !== 'POST' || request.url !== dialect.path || !isObject(body)) {
      refused.push(`${request.method} ${request.url} is nothing of this API`);
      return void response.writeHead(404).end();
    }
    requests.push(body);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    const turn = script(requests.length, body);
    const why = [...dialect.refusals(body, request.headers), ...(turn ? dialect.misreadings(turn, body) : [])];
    if (why.length > 0) {
      refused.push(...why);
      response.writeHead(400, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(dialect.writeError(why.join('; '))));
    }
    if (turn === undefined) return;
    const { type, text } = dialect.write(turn, body);
    response.writeHead(200, { 'content-type': type }).end(text);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    refused,
    asked: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += String(piece);
  return text;
}

export function toList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The fields that an object has and should not. */
export function strange(value: Json, known: readonly string[], where: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}.${key}: Extra inputs are not permitted`);
}

export function twice(words: readonly unknown[]): unknown[] {
  return words.filter((word, at) => words.indexOf(word) !== at);
}
