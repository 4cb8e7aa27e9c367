import { Agent, request as send } from 'node:http';
import { createInterface } from 'node:readline';
import { isObject, type JsonObject } from '../../../src/base/json.js';

export interface Posted {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Posts messages to one URL, and tells every message of the answer, be it JSON or a stream of events. */
export class HttpExchange implements Disposable {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  post(message: JsonObject, headers: Record<string, string>, tell: (message: JsonObject) => void): Promise<Posted> {
    const body = JSON.stringify(message);
    const options = {
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      },
    };
    return new Promise((resolve, reject) => {
      const sent = send(this.#url, options, (response) => {
        const posted = { status: response.statusCode ?? 0, headers: response.headers };
        response.once('error', reject).once('end', () => resolve(posted));
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          createInterface({ input: response }).on('line', (line) => {
            if (line.startsWith('data: ') && line.length > 'data: '.length)
              tell(toMessage(line.slice('data: '.length)));
          });
          return;
        }
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('end', () => {
          if (text !== '') tell(toMessage(text));
        });
      });
      sent.once('error', reject).end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function toMessage(text: string): JsonObject {
  const message: unknown = JSON.parse(text);
  if (!isObject(message)) throw new Error(`This is no message: ${text}`);
  return message;
}
