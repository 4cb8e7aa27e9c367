import { shorten } from '../../base/shorten.js';
import type { Problem } from '../problem.js';

/** Numeric environment variables. A value that is no number is ignored and reported. */
const NUMBERS = [
  { name: 'MCP_TIMEOUT', digits: 10, use: 'milliseconds to connect to a server', example: 30_000 },
  { name: 'MCP_TOOL_TIMEOUT', digits: 10, use: 'milliseconds for a call', example: 600_000 },
  { name: 'MAX_MCP_OUTPUT_TOKENS', digits: 10, use: 'tokens of a result that a model is shown', example: 25_000 },
  { name: 'MCP_SERVER_CONNECTION_BATCH_SIZE', digits: 6, use: 'local servers to start at the same time', example: 3 },
  { name: 'MCP_REMOTE_SERVER_CONNECTION_BATCH_SIZE', digits: 6, use: 'servers to reach at the same time', example: 20 },
] as const;

export type NumberVariable = (typeof NUMBERS)[number]['name'];

type Environment = { readonly [name: string]: string | undefined };

/** The value of a variable; undefined when it is unset or unusable. */
export function numberOf(env: Environment, variable: NumberVariable): number | undefined {
  const text = env[variable]?.trim() ?? '';
  const digits = NUMBERS.find(({ name }) => name === variable)!.digits;
  return /^[1-9]\d*$/u.test(text) && text.length <= digits ? Number(text) : undefined;
}

export function oddVariables(env: Environment): readonly Problem[] {
  return NUMBERS.flatMap(({ name, use, example }): Problem[] => {
    const text = env[name] ?? '';
    if (text.trim() === '' || numberOf(env, name) !== undefined) return [];
    const shown = shorten(text, SHOWN);
    return [
      {
        severity: 'warning',
        code: 'odd-variable',
        file: 'environment',
        message: `${name} is ${JSON.stringify(shown)}, which is not used: it has to be a whole number above 0 (${use})`,
        hint: `Set it to a number, such as ${name}=${example}, or unset it`,
      },
    ];
  });
}

const SHOWN = 40;
