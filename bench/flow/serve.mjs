// A server of a scenario as a process: `node serve.mjs INSIDE SCENARIO SERVER`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , inside, scenario, server] = process.argv;
const { flowScenarios, flowServer, serveFakeServer } = await import(
  pathToFileURL(join(inside, 'testing/index.js')).href
);
const { servers } = flowScenarios.find(({ name }) => name === scenario);
await serveFakeServer(flowServer(servers[server]), process);
