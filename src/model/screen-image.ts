/** An image that was checked before a terminal may get it. The bytes are a server's; type and size are by the header. */
export interface ScreenImage {
  readonly bytes: Uint8Array;
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The fields of a content block that say whether it is an image; a server may have put anything there. */
export interface UncheckedBlock {
  readonly type?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
}

/** Pixels with a palette, row by row. Index 0 is transparent. */
export interface IndexedPixels {
  readonly width: number;
  readonly height: number;
  /** From index 1 on, each 0 to 255. */
  readonly palette: readonly (readonly [red: number, green: number, blue: number])[];
  readonly indexes: Uint8Array;
}
