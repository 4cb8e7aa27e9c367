// Opens a host whose servers are all lazy, and exits as soon as every tool is known. Argument: the plan of cached.mjs,
// as JSON. The run that fills the cache calls each server once, and closes the host properly.
const { lib, config, expected, isFilling } = JSON.parse(process.argv[2]);
const { Host } = await import(`${lib}/index.js`);
const host = await Host.open({ cwd: process.cwd(), env: process.env, mcpConfig: [config], strict: true, watch: false });
if (isFilling) await useEach();
const found = host.tools().length;
if (found !== expected) throw new Error(`${found} tools instead of ${expected}`);
if (isFilling) await host[Symbol.asyncDispose]();
process.exit(0);

async function useEach() {
  await host.settled();
  const known = new Set(host.tools().map(({ server }) => server));
  const idle = host.servers().filter(({ name }) => !known.has(name));
  await Promise.all(
    idle.map(({ name }) => host.call({ name: `mcp__${name}__echo`, input: { text: 'hello' }, isTyped: true })),
  );
  await host.settled();
}
