import { HostError } from '../../src/base/errors.js';
import { ConnectionFactory } from '../../src/connection/connection-factory.js';
import { isSignInScenario, signInAndCall } from './sign-in-duty.js';
import { DONE } from './done.js';
import { findDuty } from './duties.js';

/**
 * The client under test, as the suite starts it: `node driver.mjs URL`, with the scenario's name and protocol version
 * in the environment. It connects as Plugboard does, era detection included, and exits with 0 when all went well.
 */
const url = process.argv.at(-1) ?? '';
const {
  MCP_CONFORMANCE_SCENARIO: scenario = '',
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = '',
  MCP_CONFORMANCE_CONTEXT: context = '{}',
} = process.env;
const CONNECT_MS = 15_000; // enough for a loaded machine; the suite gives up after 30 s

try {
  const told = JSON.parse(context) as Readonly<Record<string, unknown>>;
  if (isSignInScenario(scenario)) await signInAndCall({ url, scenario, context: told });
  else await connectAndDo(told);
  process.stdout.write(`${DONE}\n`);
} catch (error) {
  process.stderr.write(`${toText(error)}\n`);
  process.exitCode = 1;
}

async function connectAndDo(told: Readonly<Record<string, unknown>>): Promise<void> {
  const duty = findDuty(scenario);
  await using connectionFactory = new ConnectionFactory({
    env: process.env,
    platform: process.platform,
    cwd: process.cwd(),
    state: undefined,
  });
  for (const era of duty.eras ?? (['auto'] as const)) {
    await using connection = await connectionFactory.connect(
      { name: 'conformance', config: { type: 'http', url, headers: {}, era } },
      {
        timeoutMs: CONNECT_MS,
        ...(duty.capabilities && { capabilities: duty.capabilities }),
        ...(duty.handlers && { handlers: duty.handlers }),
      },
    );
    const { version } = connection.session;
    // Some servers speak both eras, and would let the scenario pass in the wrong one.
    if (era === 'auto' && version !== revision)
      throw new Error(`It was to be spoken to as of ${revision}, and is as of ${version}`);
    await duty.run(connection, told);
  }
}

function toText(error: unknown): string {
  if (!(error instanceof HostError)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  const { code, message, hint, cause } = error;
  const why =
    cause === undefined ? '' : `\n  because ${cause instanceof Error ? cause.message : JSON.stringify(cause)}`;
  return `${code}: ${message}${hint === undefined ? '' : ` (${hint})`}${why}`;
}
