// The clients that make the calls; one of them for each transport, the floor, is what the others are compared with.

/** In the order of the tables. `transports`: where it takes part; `tool`: only in cases of this tool. */
export const clients = [
  { name: 'floor, by hand', file: '../wire/clients/floor-stdio.mjs', transports: ['stdio'], isFloor: true },
  { name: 'floor, bare sockets', file: '../wire/clients/floor-socket.mjs', transports: ['http'], isFloor: true },
  { name: 'undici dispatch', file: '../wire/clients/floor-undici.mjs', transports: ['http'] },
  { name: 'floor, by hand', file: '../wire/clients/floor-in-process.mjs', transports: ['in-process'], isFloor: true },
  { name: 'floor that saves', file: 'clients/saving.mjs', transports: ['stdio', 'http'], tool: 'big' },
  { name: 'plugboard', file: 'clients/plugboard.mjs', transports: ['stdio', 'http', 'in-process'], isOwn: true },
  { name: 'plugboard, hooks', file: 'clients/plugboard.mjs', transports: ['stdio'], variant: 'hooks' },
  {
    name: 'SDK 2',
    package: '@modelcontextprotocol/client',
    file: '../peers/sdk2.mjs',
    transports: ['stdio', 'http', 'in-process'],
  },
  {
    name: 'SDK 1',
    package: '@modelcontextprotocol/sdk',
    file: '../peers/sdk1.mjs',
    transports: ['stdio', 'http', 'in-process'],
  },
];

export function takesPart({ transports, variant, tool }, one) {
  if (tool !== undefined && tool !== one.tool) return false;
  return transports.includes(one.transport) && (variant !== 'hooks' || one.withHooks === true);
}
