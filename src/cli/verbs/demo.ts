import type { Verb } from '../verb.js';

export const demoVerb: Verb = {
  name: 'demo',
  usage: '[--model NAME]',
  summary: 'Try Plugboard without a key: a session with a scripted model and three small servers',
  options: [{ name: 'model', value: 'NAME', summary: 'a real model in place of the script; needs its key' }],
  details: [
    'It shows a read, a permission question, a form, a large result, and a server that dies and comes back.',
    'Settings, state and cache of the demo are in a temporary folder, which is removed at the end. Nothing of yours is used.',
    'Without a terminal it plays all steps as text, answers the questions itself, and exits 0.',
  ],
  examples: ['plugboard demo', 'plugboard demo --model claude-sonnet-5-5', 'plugboard demo --json'],
  run: async (invocation, io) => (await import('../demo/run-demo.js')).runDemo(invocation, io),
};
