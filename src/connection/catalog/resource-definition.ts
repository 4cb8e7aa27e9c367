// Resources: https://modelcontextprotocol.io/specification/2025-11-25/server/resources
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';
import { isKey, type ItemList, listItems } from './list-items.js';
import { readDescription, readTitle, type Redact } from './server-text.js';

/** A resource as its server describes it: texts cleaned and truncated, the URI unchanged. */
export interface ServerResourceDefinition {
  /** What `host.readResource` takes. */
  readonly uri: string;
  /** The server's own name for it, not necessarily unique; the URI where there is none. */
  readonly name: string;
  /** A name for people; undefined where the server gave none. */
  readonly title: string | undefined;
  /** Empty where the server gave none. */
  readonly description: string;
  /** Undefined where the server gave none. */
  readonly mimeType: string | undefined;
  /** Bytes, according to the server. */
  readonly size: number | undefined;
}

/** A family of resources: a template whose variables, once filled in, make a URI. */
export interface ServerTemplateDefinition {
  /** RFC 6570, such as `file:///{path}`. */
  readonly uriTemplate: string;
  /** The server's own name for it, not necessarily unique; the template where there is none. */
  readonly name: string;
  /** A name for people; undefined where the server gave none. */
  readonly title: string | undefined;
  /** Empty where the server gave none. */
  readonly description: string;
  /** The type of all resources of the template; undefined where the server gave none. */
  readonly mimeType: string | undefined;
}

export function listResources(
  connection: Connection,
  options?: CallOptions,
): Promise<ItemList<ServerResourceDefinition>> {
  return listItems(
    connection,
    {
      capability: 'resources',
      method: 'resources/list',
      key: 'resources',
      read: (item) => parseResource(item, connection.redact),
      nameOf: ({ uri }) => uri,
    },
    options,
  );
}

export function listTemplates(
  connection: Connection,
  options?: CallOptions,
): Promise<ItemList<ServerTemplateDefinition>> {
  return listItems(
    connection,
    {
      capability: 'resources',
      method: 'resources/templates/list',
      key: 'resourceTemplates',
      read: (item) => readTemplate(item, connection.redact),
      nameOf: ({ uriTemplate }) => uriTemplate,
    },
    options,
  );
}

type Item = { readonly [field: string]: unknown };

/** Parses a resource from a server's list or from the cache file; undefined when its URI is not usable. */
export function parseResource(item: Item, redact: Redact): ServerResourceDefinition | undefined {
  const { uri, size } = item;
  if (!isKey(uri, URI_LIMIT)) return undefined;
  return { uri, ...readTexts(item, uri, redact), size: Number.isSafeInteger(size) ? (size as number) : undefined };
}

export function readTemplate(item: Item, redact: Redact): ServerTemplateDefinition | undefined {
  const { uriTemplate } = item;
  return isKey(uriTemplate, URI_LIMIT) ? { uriTemplate, ...readTexts(item, uriTemplate, redact) } : undefined;
}

/** The specification requires a name; a resource without one gets its URI as name. */
function readTexts({ name, title, description, mimeType }: Item, uri: string, redact: Redact): Texts {
  return {
    name: readTitle(name, redact) ?? readTitle(uri, redact)!,
    title: readTitle(title, redact),
    description: readDescription(description, redact),
    mimeType: readTitle(mimeType, redact),
  };
}

type Texts = Pick<ServerResourceDefinition, 'name' | 'title' | 'description' | 'mimeType'>;

const URI_LIMIT = 4_096; // longest URI that servers and browsers take; data: URLs belong into contents
