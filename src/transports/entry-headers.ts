import { HostError } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import { secretWords, withoutWords } from '../model/redaction/secret-words.js';

export interface EntryHeadersOptions {
  readonly name: string;
  /** The headers of the entry, with secrets revealed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the protocol or HTTP itself sets this header, so the entry may not. Takes the name in lower case. */
  readonly isReserved: (header: string) => boolean;
}

/** The headers of an entry as sent. Throws `config-invalid`, which names the header and never its value. */
export class EntryHeaders {
  /** Names and values, alternating. */
  readonly sent: readonly string[];
  readonly #words: readonly string[];

  constructor({ name, headers, isReserved }: EntryHeadersOptions) {
    const sent: string[] = [];
    for (const [header, value] of Object.entries(headers)) {
      if (isReserved(header.toLowerCase())) continue;
      if (!isHeader(header, value)) throw notHttp(name, header);
      sent.push(header, value);
    }
    const isNamed = Object.keys(headers).some((header) => header.toLowerCase() === 'user-agent');
    this.sent = isNamed ? sent : ['user-agent', `plugboard/${VERSION}`, ...sent];
    this.#words = secretWords(Object.values(headers));
  }

  /** The headers except those with these names, which are given in lower case. */
  without(names: ReadonlySet<string>): readonly string[] {
    if (names.size === 0) return this.sent;
    const { sent } = this;
    const left: string[] = [];
    for (let index = 0; index < sent.length; index += 2) {
      if (!names.has(sent[index]!.toLowerCase())) left.push(sent[index]!, sent[index + 1]!);
    }
    return left;
  }

  /** Removes the entry's secrets from a server's text, which may repeat the headers it was sent. */
  redact(text: string): string {
    return withoutWords(text, this.#words);
  }
}

/** Whether name and value are valid in HTTP. */
export function isHeader(name: string, value: string): boolean {
  return HEADER_NAME.test(name) && HEADER_VALUE.test(value);
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/u;

function notHttp(name: string, header: string): HostError {
  return new HostError('config-invalid', `Server "${name}": the header ${JSON.stringify(header)} is not valid HTTP`, {
    hint: 'Often a line break at the end of a token; check the file or the variable it comes from',
  });
}
