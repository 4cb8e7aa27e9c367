// Content codings of HTTP: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { Transform } from 'node:stream';

/** Accept-Encoding of a request, in order of preference. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

export interface InflateSink {
  /** Returns false to pause until `resume`. */
  data(bytes: Buffer): boolean;
  end(): void;
  failed(cause: Error): void;
  /** More compressed bytes may be written. */
  drained(): void;
}

/** Decompresses chunk by chunk, so that the handler can stop a small body that unpacks to a huge one. */
export interface Inflater {
  /** Returns false when no more should be written before `drained`. */
  write(bytes: Buffer): boolean;
  end(): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** Returns undefined for a coding that is not in `ACCEPTED_CODINGS`. */
export function openInflater(coding: string, sink: InflateSink): Inflater | undefined {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return pipeToSink(createGunzip(OPTIONS), sink);
    case 'br':
      return pipeToSink(createBrotliDecompress(OPTIONS), sink);
    case 'deflate':
      return new DeflateInflater(sink);
    default:
      return undefined;
  }
}

const OPTIONS = { chunkSize: 65_536 };

/** Connects the stream's output to the sink. */
function pipeToSink(stream: Transform, sink: InflateSink): Inflater {
  stream.on('data', (bytes: Buffer) => {
    if (!sink.data(bytes)) stream.pause();
  });
  stream.on('end', () => sink.end());
  stream.on('error', (cause) => sink.failed(cause));
  stream.on('drain', () => sink.drained());
  return stream;
}

/** Many servers send "deflate" without the zlib header that the standard requires; the first byte shows which. */
class DeflateInflater implements Inflater {
  readonly #sink: InflateSink;
  #inner: Inflater | undefined;

  constructor(sink: InflateSink) {
    this.#sink = sink;
  }

  write(bytes: Buffer): boolean {
    if (bytes.length === 0) return true;
    const isWrapped = (bytes[0]! & 0x0f) === ZLIB_METHOD;
    this.#inner ??= pipeToSink(isWrapped ? createInflate(OPTIONS) : createInflateRaw(OPTIONS), this.#sink);
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
