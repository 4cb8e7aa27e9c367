import { Catalog } from './catalog/catalog.js';
import { LineLifecycle } from './line-lifecycle.js';
import type { ServerLifecycleOptions } from './server-lifecycle-options.js';

/** A server's own line, over which its catalog reads the lists. */
export class ServerLifecycle extends LineLifecycle<Catalog> {
  constructor(options: ServerLifecycleOptions) {
    const { server, clock, catalogFile, isOneOfMany, listMs, onCatalog } = options;
    super(
      options,
      (onProblem) =>
        new Catalog({
          name: server.name,
          filter: server.config,
          clock,
          catalogFile,
          isOneOfMany,
          listMs,
          onChange: onCatalog,
          onProblem,
          isResting: () => this.isResting,
          wake: () => this.start('use'),
        }),
    );
  }

  /** See `Catalog.problems`. */
  get listProblems(): Catalog['problems'] {
    return this.catalog.problems;
  }
}
