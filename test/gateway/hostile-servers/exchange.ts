import { Agent, type IncomingMessage, request as send } from 'node:http';

export interface ExchangeOptions {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface Exchanged {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** One client's connections to one URL. Tells the text of every message of an answer, be it JSON or a stream of events. */
export class Exchange implements Disposable {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  send({ method, headers, body = '', signal }: ExchangeOptions, tell: (text: string) => void): Promise<Exchanged> {
    const options = {
      method,
      agent: this.#agent,
      headers: { ...headers, ...(method === 'POST' && { 'content-length': String(Buffer.byteLength(body)) }) },
      ...(signal && { signal }),
    };
    return new Promise((resolve, reject) => {
      const sent = send(this.#url, options, (response) => {
        readTexts(response, tell).then(
          () => resolve({ status: response.statusCode ?? 0, headers: response.headers }),
          reject,
        );
      });
      sent.once('error', reject).end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

async function readTexts(response: IncomingMessage, tell: (text: string) => void): Promise<void> {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
  let parts: string[] = [];
  for await (const chunk of response.setEncoding('utf8')) {
    parts.push(chunk as string);
    if (!isStream || !(chunk as string).includes('\n')) continue;
    const lines = parts.join('').split('\n');
    parts = [lines.pop()!];
    for (const line of lines) if (line.startsWith('data: ') && line !== 'data: ') tell(line.slice('data: '.length));
  }
  const rest = parts.join('');
  if (!isStream && rest !== '') tell(rest);
}
