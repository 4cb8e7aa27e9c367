import { type FakeServer, fakeServer } from '../fake-server.js';
import type { FlowServer } from './flow-scenario.js';

/** A server of a scenario, for a host to connect to. Each has its own record of the calls. */
export function flowServer({ tools, resources, readResource }: FlowServer): FakeServer {
  return fakeServer(tools, { resources, readResource });
}
