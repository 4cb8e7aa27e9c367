import type { Host } from '../host/host.js';
import { inside } from '../host/inside.js';

type Check = Host[typeof inside]['dock']['check'];

/** Whether what a person typed for a tool is what its schema asks for. */
export function checkInput(host: Host, ...[schema, input]: Parameters<Check>): ReturnType<Check> {
  return host[inside].dock.check(schema, input);
}
