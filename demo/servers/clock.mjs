// A small MCP server inside the program that embeds Plugboard: no process is started, and no message leaves this one.
import { answering } from './answer.mjs';

const answer = answering('clock', {
  now: {
    description: 'Tells the time',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    run: () => new Date().toISOString(),
  },
});

/** A server for the option `embedded` of `Host.open`. */
export const clock = {
  connect(end) {
    const onmessage = (message) => {
      const reply = answer(message);
      if (reply) void end.send(reply);
    };
    Object.assign(end, { onmessage });
  },
};
