import { programs } from './world.mjs';

/** `count` entries as people write them: three commands for every two URLs, about 200 bytes each. */
export function makeServers(count, { prefix = 'server', from = 0, variables = false } = {}) {
  const servers = {};
  for (let index = from; index < from + count; index++) {
    servers[`${prefix}-${index}`] = index % 5 < 3 ? makeCommand(index, variables) : makeUrl(index, variables);
  }
  return servers;
}

function makeCommand(index, variables) {
  return {
    command: programs[index % programs.length],
    args: ['-y', `@bench/server-${index}`, '--root', variables ? '${HOME}/work' : '/home/bench/work'],
    env: {
      API_KEY: variables ? '${BENCH_TOKEN}' : `key-${index}`,
      LOG_LEVEL: variables ? '${BENCH_LEVEL:-info}' : 'info',
    },
  };
}

function makeUrl(index, variables) {
  const host = variables ? '${BENCH_HOST:-mcp.example.com}' : 'mcp.example.com';
  return {
    type: 'http',
    url: `https://${host}/servers/${index}/mcp`,
    headers: { Authorization: variables ? 'Bearer ${BENCH_TOKEN}' : `Bearer token-${index}` },
    timeout: 30_000,
  };
}

/** The file as people keep it by hand: a comment for each server, and trailing commas. */
export function toCommentedText(servers) {
  const entries = Object.entries(servers).map(([name, entry]) => {
    const text = JSON.stringify(entry, null, 2).replaceAll('\n', '\n    ');
    return `    // ${name}: see https://example.com/docs/${name}\n    ${JSON.stringify(name)}: ${text}, /* end */\n`;
  });
  return `{\n  "mcpServers": {\n${entries.join('')}  },\n}\n`;
}
