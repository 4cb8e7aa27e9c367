// Content codings of HTTP: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

/** What a request may offer, in the order we like them. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

export interface InflateSink {
  /** False: nothing more until `resume`. */
  data(bytes: Buffer): boolean;
  end(): void;
  failed(cause: Error): void;
  /** The compressed side may go on. */
  drained(): void;
}

/** Undoes one coding, piece by piece, so that a small body that unpacks to a huge one is counted while it unpacks. */
export interface Inflater {
  /** False: nothing more until `drained`. */
  write(bytes: Buffer): boolean;
  end(): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** Undefined for a coding that nobody offered. */
export function openInflater(coding: string, sink: InflateSink): Inflater | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return emptied(createGunzip(OPTIONS), sink);
    case 'br':
      return emptied(createBrotliDecompress(OPTIONS), sink);
    case 'deflate':
      return new DeflateInflater(sink);
    default:
      return undefined;
  }
}

const OPTIONS = { chunkSize: 65_536 };

/** The stream, with what comes out of it going to the sink. */
function emptied(stream: Transform, sink: InflateSink): Inflater {
  stream.on('data', (bytes: Buffer) => {
    if (!sink.data(bytes)) stream.pause();
  });
  stream.on('end', () => sink.end());
  stream.on('error', (cause) => sink.failed(cause));
  stream.on('drain', () => sink.drained());
  return stream;
}

/** Half the world sends "deflate" without the wrapper that the standard wants; its first byte tells. */
class DeflateInflater implements Inflater {
  readonly #sink: InflateSink;
  #inner: Inflater | undefined;

  constructor(sink: InflateSink) {
    this.#sink = sink;
  }

  write(bytes: Buffer): boolean {
    if (bytes.length === 0) return true;
    const isWrapped = (bytes[0]! & 0x0f) === ZLIB_METHOD;
    this.#inner ??= emptied(isWrapped ? createInflate(OPTIONS) : createInflateRaw(OPTIONS), this.#sink);
    return this.#inner.write(bytes);
  }

  end(): void {
    if (this.#inner) this.#inner.end();
    else this.#sink.end();
  }

  resume(): void {
    this.#inner?.resume();
  }

  destroy(): void {
    this.#inner?.destroy();
  }
}

const ZLIB_METHOD = 8;
