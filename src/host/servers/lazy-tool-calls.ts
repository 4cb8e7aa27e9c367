import type { ToolOperation } from '../../connection/requests/call-tool.js';

/** The code for tool calls, loaded by the first call: other uses of a host do not pay for it. */
export class LazyToolCalls {
  #loaded: typeof ToolOperation | undefined;

  get loaded(): typeof ToolOperation | undefined {
    return this.#loaded;
  }

  async load(): Promise<typeof ToolOperation> {
    return (this.#loaded ??= (await import('../../connection/requests/call-tool.js')).ToolOperation);
  }
}
