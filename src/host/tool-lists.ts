import type { Connection } from '../connection/connection.js';
import { AUTHENTICATE, authenticateList } from '../tools/authenticate.js';
import type { ToolList } from '../tools/tool-list.js';

export interface ToolListsOptions {
  /** Whether the user can sign in to it. */
  readonly canSignIn: (server: string) => boolean;
  /** Whether some of its tools want more rights than the user has given. */
  readonly wantsMore: (server: string) => boolean;
}

/** What can be called of each server as of now: what it offers, or the way to sign in to it. */
export class ToolLists {
  readonly #options: ToolListsOptions;
  readonly #made = new WeakMap<Connection, { readonly beside: object | undefined; readonly list: ToolList }>();

  constructor(options: ToolListsOptions) {
    this.#options = options;
  }

  of(connection: Connection): ToolList {
    const { name, status, catalog } = connection;
    if (status.kind === 'needs-auth') {
      return this.#options.canSignIn(name) ? this.#make(connection, undefined) : catalog;
    }
    const isStepUp = status.kind === 'connected' && this.#options.wantsMore(name);
    return isStepUp && catalog.tools.every((tool) => tool.name !== AUTHENTICATE)
      ? this.#make(connection, catalog)
      : catalog;
  }

  /** Whether that tool, which goes by the server's name, is this host's own. */
  isOurs(connection: Connection | undefined, tool: string): boolean {
    return tool === AUTHENTICATE && connection !== undefined && this.of(connection) !== connection.catalog;
  }

  /** The same one as long as what it stands beside is the same: whoever compares lists sees that nothing has changed. */
  #make(connection: Connection, beside: ToolList | undefined): ToolList {
    const known = this.#made.get(connection);
    if (known && known.beside === beside?.toolColumns) return known.list;
    const list = authenticateList(connection.name, beside);
    this.#made.set(connection, { beside: beside?.toolColumns, list });
    return list;
  }
}
