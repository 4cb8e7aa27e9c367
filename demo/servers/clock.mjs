// A small MCP server inside the program that embeds Plugboard: no process is started, and no message leaves this one.
import { answering } from './answer.mjs';

const days = ['today', 'tomorrow', 'on Saturday'];

const answer = answering('clock', {
  now: {
    description: 'Tells the time',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    run: () => new Date().toISOString(),
  },
  find_time: {
    description: 'Finds a time for something; asks the user for the day and for how long it takes',
    inputSchema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
    annotations: { readOnlyHint: true },
    async run({ what }, ask) {
      const { action, content } =
        (await ask?.({ message: `When do you want to do this: ${what}?`, requestedSchema })) ?? {};
      if (action !== 'accept') return { text: `No time was found: the form was not filled in`, isError: true };
      return `${content.day} at ten, for ${content.minutes} minutes`;
    },
  },
});

const requestedSchema = {
  type: 'object',
  properties: {
    day: { type: 'string', title: 'Day', enum: days, default: 'today' },
    minutes: { type: 'integer', title: 'How many minutes', minimum: 5, maximum: 240, default: 30 },
  },
  required: ['day', 'minutes'],
};

/** A server for the option `embedded` of `Host.open`. */
export const clock = {
  connect(end) {
    const onmessage = async (message) => {
      const reply = await answer(message, (request) => void end.send(request));
      if (reply) void end.send(reply);
    };
    Object.assign(end, { onmessage });
  },
};
