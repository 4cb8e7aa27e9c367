import { nameSuffix } from '../../model/view/name-suffix.js';
import { Lru } from '../../base/collections/lru.js';

/** What a server lists that has a URI. */
export interface UriOwner {
  readonly name: string;
  readonly resources: readonly string[];
  readonly templates: readonly string[];
  /** Of their SKILL.md; all in the folder of one is the server's as well. */
  readonly skills: readonly string[];
  /** Whether it has resources at all, listed or not. */
  readonly hasResources: boolean;
}

/** The server that a client means by a URI. */
export type UriTarget =
  | { readonly kind: 'owned'; readonly server: string; readonly uri: string }
  /** Several servers have it: `uris` is how clients know each. */
  | { readonly kind: 'ambiguous'; readonly uris: readonly string[] }
  | { readonly kind: 'unknown' };

/** URIs that servers have mentioned in results, and which server: for resources that no list has. */
export class MentionedUris {
  readonly #servers = new Lru<string>({ count: MENTIONED, size: Infinity });

  server(uri: string): string | undefined {
    return this.#servers.get(uri);
  }

  note(uri: string, server: string): void {
    if (uri.length <= URI_LIMIT) this.#servers.set(uri, server);
  }
}

/**
 * The URIs of all servers as clients know them: as they are while one server owns them, else with the server's name:
 * `plugboard+server:uri`, or `ui://server/...`.
 */
export class UriTable {
  readonly #owners = new Map<string, string[]>();
  readonly #templateOwners = new Map<string, string[]>();
  /** The literal beginnings and ends of templates, by server. */
  readonly #templates: { readonly server: string; readonly start: string; readonly end: string }[] = [];
  /** The owners of the folders of skills. */
  readonly #folders = new Map<string, string[]>();
  /** The part of a URI that stands for a server, and back. */
  readonly #slugs = new Map<string, string>();
  readonly #bySlug = new Map<string, string>();
  readonly #readable: readonly string[];
  readonly #mentioned: MentionedUris;

  constructor(servers: readonly UriOwner[], mentioned: MentionedUris) {
    this.#mentioned = mentioned;
    this.#readable = servers.filter(({ hasResources }) => hasResources).map(({ name }) => name);
    for (const { name, resources, templates, skills } of servers) {
      this.#addSlug(name);
      for (const uri of resources) add(this.#owners, uri, name);
      for (const uri of skills) add(this.#folders, uri.slice(0, uri.lastIndexOf('/')), name);
      for (const template of templates) {
        add(this.#templateOwners, template, name);
        const first = template.indexOf('{');
        const [start, end] =
          first === -1 ? [template, ''] : [template.slice(0, first), template.slice(template.lastIndexOf('}') + 1)];
        this.#templates.push({ server: name, start, end });
      }
    }
  }

  /** A resource of a server, listed or mentioned, as clients know it. */
  toClient(server: string, uri: string): string {
    if (this.#isLikeNamed(server, uri)) return this.#named(server, uri);
    const owners = this.#ownersOf(uri);
    if (owners) return owners.length === 1 && owners[0] === server ? uri : this.#named(server, uri);
    const other = this.#ownerByTemplate(uri) ?? this.#mentioned.server(uri);
    if (other !== undefined && other !== server) return this.#named(server, uri);
    return uri;
  }

  toClientTemplate(server: string, template: string): string {
    const isShared = (this.#templateOwners.get(template)?.length ?? 0) > 1;
    return isShared || this.#isLikeNamed(server, template) ? this.#named(server, template) : template;
  }

  /** The server's own URI, or template, for one that a client sent. */
  toServer(uri: string): UriTarget {
    const named = this.#readNamed(uri);
    if (named) return { kind: 'owned', ...named };
    const owners = this.#ownersOf(uri) ?? this.#templateOwners.get(uri);
    if (owners && owners.length > 1) return { kind: 'ambiguous', uris: owners.map((one) => this.#named(one, uri)) };
    const sole = this.#readable.length === 1 ? this.#readable[0] : undefined;
    const server = owners?.[0] ?? this.#ownerByTemplate(uri) ?? this.#mentioned.server(uri) ?? sole;
    return server === undefined ? { kind: 'unknown' } : { kind: 'owned', server, uri };
  }

  #addSlug(server: string): void {
    const plain = server.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
    const slug = this.#bySlug.has(plain) ? `${plain}-${nameSuffix(server, '')}` : plain;
    this.#slugs.set(server, slug);
    this.#bySlug.set(slug, server);
  }

  #named(server: string, uri: string): string {
    const slug = this.#slugs.get(server) ?? server;
    return uri.startsWith(UI) ? `${UI}${slug}/${uri.slice(UI.length)}` : `${SCHEME}${slug}:${uri}`;
  }

  /** Whether a server calls something as clients know what is another's: it does not get what is meant for that one. */
  #isLikeNamed(server: string, uri: string): boolean {
    if (uri.startsWith(SCHEME)) return true;
    const other = uri.startsWith(UI) ? this.#bySlug.get(uri.slice(UI.length).split('/', 1)[0]!) : undefined;
    return other !== undefined && other !== server;
  }

  #readNamed(uri: string): { readonly server: string; readonly uri: string } | undefined {
    if (uri.startsWith(SCHEME)) {
      const end = uri.indexOf(':');
      const server = this.#bySlug.get(uri.slice(SCHEME.length, end));
      return server === undefined ? undefined : { server, uri: uri.slice(end + 1) };
    }
    if (!uri.startsWith(UI)) return undefined;
    const end = uri.indexOf('/', UI.length);
    const server = end === -1 ? undefined : this.#bySlug.get(uri.slice(UI.length, end));
    const own = UI + uri.slice(end + 1);
    // Only what was served so: `ui://` addresses of a server may begin with anybody's name.
    return server !== undefined &&
      this.#owners.get(own)?.includes(server) === true &&
      this.toClient(server, own) === uri
      ? { server, uri: own }
      : undefined;
  }

  /** Those who list it, or the folder that it is in: the files of a skill are where the skill is. */
  #ownersOf(uri: string): readonly string[] | undefined {
    const listing = this.#owners.get(uri);
    if (this.#folders.size === 0) return listing;
    let depth = 0;
    for (let end = uri.length; end > 0 && depth < DEPTH_LIMIT; end = uri.lastIndexOf('/', end - 1), depth++) {
      const owners = this.#folders.get(uri.slice(0, end));
      if (owners) return listing && owners.length === 1 ? listing : owners;
    }
    return listing;
  }

  /** The server whose template has the longest beginning in common with a URI. */
  #ownerByTemplate(uri: string): string | undefined {
    let best: { readonly server: string; readonly length: number } | undefined;
    for (const { server, start, end } of this.#templates) {
      const length = start.length + end.length;
      if (start === '' || length > uri.length || !uri.startsWith(start) || !uri.endsWith(end)) continue;
      if (!best || length > best.length) best = { server, length };
    }
    return best?.server;
  }
}

function add(owners: Map<string, string[]>, uri: string, server: string): void {
  const known = owners.get(uri);
  if (!known) owners.set(uri, [server]);
  else if (!known.includes(server)) known.push(server);
}

const SCHEME = 'plugboard+';
const UI = 'ui://';
const DEPTH_LIMIT = 32; // folders below that of a skill
const MENTIONED = 10_000;
const URI_LIMIT = 4_096; // as in lists
