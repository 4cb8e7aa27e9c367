// A small MCP server inside the program that embeds Plugboard: nothing is started, and nothing leaves the process.
import { answering } from './answer.mjs';

const answer = answering('clock', {
  now: {
    description: 'Tells the time',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    run: () => new Date().toISOString(),
  },
});

/** What `Host.open({ embedded })` takes. */
export const clock = {
  connect(end) {
    const onmessage = (message) => {
      const reply = answer(message);
      if (reply) void end.send(reply);
    };
    Object.assign(end, { onmessage });
  },
};
