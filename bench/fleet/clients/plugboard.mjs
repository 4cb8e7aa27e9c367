// Plugboard, as a program that embeds it uses it.
export async function openMany({ lib, config, expected }) {
  const { Host } = await import(`${lib}/index.js`);
  const host = await Host.open({
    cwd: process.cwd(),
    env: process.env,
    mcpConfig: [config],
    strict: true,
    watch: false,
  });
  const known = host.tools().length === expected ? process.hrtime.bigint() : undefined;
  await host.settled();
  return {
    tools: host.tools().length,
    known,
    close: () => host[Symbol.asyncDispose](),
    /** Why tools are missing: the error of a server that failed. */
    explain: () => host.servers().find(({ error }) => error !== undefined)?.error,
  };
}
