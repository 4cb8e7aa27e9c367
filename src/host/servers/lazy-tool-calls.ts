import type { ToolOperation } from '../../connection/requests/call-tool.js';

/** What tools are called with, loaded by the first call: nobody who only looks pays for it. */
export class LazyToolCalls {
  #loaded: typeof ToolOperation | undefined;

  get loaded(): typeof ToolOperation | undefined {
    return this.#loaded;
  }

  async load(): Promise<typeof ToolOperation> {
    return (this.#loaded ??= (await import('../../connection/requests/call-tool.js')).ToolOperation);
  }
}
