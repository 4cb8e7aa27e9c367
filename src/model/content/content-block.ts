// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result

/**
 * One content block of MCP. `type` tells which: after `block.type === 'text'` it is a `TextBlock`. A type that this
 * version does not know is an `OtherBlock`. In a result with `shape: 'raw'`, and in `forUser`, blocks are as the server
 * sent them: there a field may be missing or have another type than is said here.
 */
export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceBlock | ResourceLinkBlock | OtherBlock;

/** What every content block may have beside the fields of its type. */
export interface BlockFields {
  /** Whom the block is for, how important it is, and when it was changed. */
  readonly annotations?: BlockAnnotations;
  /** Whatever the server adds for programs that know it. */
  readonly _meta?: { readonly [key: string]: unknown };
  /** Fields that the specification does not have are kept. */
  readonly [field: string]: unknown;
}

/** A server's remarks on a content block. */
export interface BlockAnnotations {
  /** A block without `assistant` is not shown to a model: see `ToolResult.forUser`. */
  readonly audience?: readonly ('user' | 'assistant')[];
  /** From 0, optional, to 1, required. */
  readonly priority?: number;
  /** When it was changed, as an ISO 8601 date. */
  readonly lastModified?: string;
  /** Fields that the specification does not have are kept. */
  readonly [field: string]: unknown;
}

/** A text. */
export interface TextBlock extends BlockFields {
  readonly type: 'text';
  /** Cleaned of hidden characters, except in a raw result. */
  readonly text: string;
}

/** A picture. */
export interface ImageBlock extends BlockFields {
  readonly type: 'image';
  /** The bytes as base64. */
  readonly data: string;
  /** `image/png` and the like. */
  readonly mimeType: string;
}

/** A sound. */
export interface AudioBlock extends BlockFields {
  readonly type: 'audio';
  /** The bytes as base64. */
  readonly data: string;
  /** `audio/wav` and the like. */
  readonly mimeType: string;
}

/** A resource with its content. */
export interface ResourceBlock extends BlockFields {
  readonly type: 'resource';
  /** The content itself: nothing has to be read from the server any more. */
  readonly resource: EmbeddedResource;
}

/** The content of a resource: `text`, or `blob` for bytes. */
export interface EmbeddedResource {
  /** The resource's address on its server. */
  readonly uri: string;
  /** As the server states it. */
  readonly mimeType?: string;
  /** The content of a text resource. */
  readonly text?: string;
  /** The bytes as base64. */
  readonly blob?: string;
  /** Fields that the specification does not have are kept. */
  readonly [field: string]: unknown;
}

/** A resource by its address, to be read with `host.readResource`. */
export interface ResourceLinkBlock extends BlockFields {
  readonly type: 'resource_link';
  /** The resource's address on its server. */
  readonly uri: string;
  /** The server's name for it. */
  readonly name?: string;
  /** A name for people, where the server gave one. */
  readonly title?: string;
  /** What the resource holds, where the server says so. */
  readonly description?: string;
  /** As the server states it. */
  readonly mimeType?: string;
  /** The size in bytes, as the server states it. */
  readonly size?: number;
}

/** A block of a type that this version of Plugboard does not know. */
export interface OtherBlock extends BlockFields {
  /** The type as the server wrote it. */
  readonly type: OtherBlockType;
}

/**
 * Any text except the types above: a plain string. TypeScript has no type for "every other string". Only an enum is a
 * string that `block.type === 'text'` rules out, so one is declared; it exists in types alone.
 */
export declare enum OtherBlockType {
  /** Stands for every text. */
  any = 'any other type',
}
