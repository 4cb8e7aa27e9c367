import { createInterface } from 'node:readline';
import { getHeapStatistics } from 'node:v8';
import { Host } from '../../src/host/host.js';
import type { HostOptions } from '../../src/host/host-options.js';
import { openDescriptors } from './leftovers.js';

// A host in a process of its own. Takes orders as lines on stdin, `{ id, verb, ... }`; responds `{ id, result }`.

/** What a leak would make grow. */
export interface Size {
  readonly heap: number;
  readonly descriptors: number;
  readonly listeners: number;
  readonly warnings: number;
}

interface Order {
  readonly id: number;
  readonly verb: string;
  readonly name: string;
  readonly input?: Record<string, unknown>;
  readonly count?: number;
}

const options: HostOptions = { permissions: { mode: 'bypass' }, ...(JSON.parse(process.argv[2]!) as HostOptions) };
const tell = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
let warnings = 0;
process.on('warning', () => warnings++);

const host = await Host.open(options);
host.on('server', (change) => tell({ change: { ...change, seen: performance.now() } }));

const verbs: Record<string, (order: Order) => unknown> = {
  call: ({ name, input = {} }) => host.call({ name, input }),
  servers: () => host.servers(),
  settled: () => host.settled(),
  disable: ({ name }) => host.disable(name),
  enable: ({ name }) => host.enable(name),
  reconnect: ({ name }) => host.reconnect(name),
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1_000, at: performance.now() };
  },
  size: async (): Promise<Size> => {
    await new Promise((resolve) => void setTimeout(resolve, 50));
    const { gc } = globalThis as { gc?: () => void };
    gc?.();
    gc?.();
    const listeners = process.eventNames().reduce((sum, event) => sum + process.listenerCount(event), 0);
    return { heap: getHeapStatistics().used_heap_size, descriptors: openDescriptors().size, listeners, warnings };
  },
  /** Opens, uses and closes hosts, one after the other. */
  cycles: async ({ name, count = 0 }) => {
    const outcomes: Record<string, number> = {};
    for (let cycle = 0; cycle < count; cycle++) {
      await using other = await Host.open({ ...options, watch: false });
      await other.settled();
      const { outcome } = await other.call({ name, input: { key: `${count}-${cycle}` } });
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    return outcomes;
  },
  /** Reconnects one server of one host, again and again. */
  reconnects: async ({ name, count = 0 }) => {
    for (let cycle = 0; cycle < count; cycle++) await host.reconnect(name);
    return host.server(name);
  },
  close: async () => {
    await host[Symbol.asyncDispose]();
    lines.close();
  },
};

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => void carryOut(JSON.parse(line) as Order));
lines.once('close', () => void host[Symbol.asyncDispose]());
tell({ id: 0, result: null });

async function carryOut(order: Order): Promise<void> {
  tell({ id: order.id, result: (await verbs[order.verb]!(order)) ?? null });
}
