import type { JsonObject } from '../../base/json.js';

/** What a gateway seals besides cursors: ids of tasks, which hold on every instance that has the same secret. */
export interface TaskSeals {
  /** Contract: the same text for the same value. */
  sealStable(purpose: 'task', value: JsonObject): string;
  /** Undefined for what was not sealed. */
  open(purpose: 'task', text: string): JsonObject | undefined;
}

/** Where a task is. */
export interface TaskAddress {
  readonly server: string;
  /** Whose line it was begun on. */
  readonly owner: string;
  /** As the server wrote it. */
  readonly id: string;
  /** Of the call, as the server spells it. */
  readonly tool: string;
}

/** The ids of tasks as the clients of one principal know them: nobody else can use, read or forge one. */
export class TaskIds {
  readonly #seals: TaskSeals;

  constructor(seals: TaskSeals) {
    this.#seals = seals;
  }

  seal(principal: string, { server, owner, id, tool }: TaskAddress): string {
    return this.#seals.sealStable('task', { server, owner, id, tool, principal });
  }

  /** Undefined for an id that was made for another principal, or nowhere. */
  open(principal: string, text: string): TaskAddress | undefined {
    const opened = this.#seals.open('task', text);
    if (!opened || opened['principal'] !== principal) return undefined;
    const { server, owner, id, tool } = opened;
    if (typeof server !== 'string' || typeof owner !== 'string') return undefined;
    return typeof id === 'string' && typeof tool === 'string' ? { server, owner, id, tool } : undefined;
  }
}
