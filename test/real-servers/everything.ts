import type { RealServer, ToolCase } from './real-server.js';

const packageName = '@modelcontextprotocol/server-everything';

const plain: Readonly<Record<string, ToolCase>> = {
  echo: { says: 'Echo: something' },
  'get-annotated-message': { says: 'Error' },
  'get-env': { says: 'PATH' },
  'get-resource-links': { says: 'resource_link', shown: '[Resource link: Text Resource 2] demo://' },
  'get-resource-reference': { says: 'demo://resource/dynamic/text/1' },
  'get-structured-content': { says: 'humidity' },
  'get-sum': { input: () => ({ a: 2, b: 3 }), says: 'is 5' },
  'get-tiny-image': { says: 'image/png' },
  // The tool's default file is on the network.
  'gzip-file-as-resource': {
    input: () => ({ name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resource' }),
    says: 'application/gzip',
  },
  'toggle-simulated-logging': { says: 'Started' },
  'toggle-subscriber-updates': { says: 'Started' },
  'trigger-long-running-operation': {
    input: () => ({ duration: 0.4, steps: 4 }),
    says: 'Long running operation completed',
    progress: 4,
  },
  // This tool can only be called as a task, which the host follows to its end.
  'simulate-research-query': { says: 'Research Report: something' },
};

/** The server offers more tools to clients that declare these capabilities. */
const capabilities = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };
const url = { input: () => ({ url: 'https://example.com/sign' }) };

/** The capabilities are declared without a handler: the server gets an error, and its tool reports it. */
const unserved: Readonly<Record<string, ToolCase>> = {
  'get-roots-list': { says: 'no roots' },
  'trigger-elicitation-request': { isError: true, says: 'Method not found' },
  'trigger-url-elicitation': { ...url, isError: true, says: 'Method not found' },
  'trigger-sampling-request': { isError: true, says: 'Method not found' },
};

const served: Readonly<Record<string, ToolCase>> = {
  'get-roots-list': { says: 'file:///home/someone' },
  'trigger-elicitation-request': { says: 'declined' },
  'trigger-url-elicitation': { ...url, says: 'decline' },
  'trigger-sampling-request': { says: 'four' },
};

const handlers: NonNullable<RealServer['options']>['handlers'] = {
  'roots/list': () => ({ roots: [{ uri: 'file:///home/someone', name: 'home' }] }),
  'elicitation/create': () => ({ action: 'decline' }),
  'sampling/createMessage': () => ({ role: 'assistant', content: { type: 'text', text: 'four' }, model: 'a person' }),
};

/** In a host without a user to ask and without a model for sampling. */
const hosted: Readonly<Record<string, ToolCase>> = {
  'get-roots-list': { says: '/project' },
  'trigger-elicitation-request': { says: 'declined' },
  'trigger-url-elicitation': { ...url, says: 'declined' },
};

const overStdio = { packageName, transport: 'stdio', args: () => ['stdio'] } as const;
const overHttp = { packageName, transport: 'http', args: () => ['streamableHttp'] } as const;

export const everythingHosted: RealServer = {
  title: 'everything in a host',
  ...overStdio,
  tools: { ...plain, ...hosted },
};

export const everything: readonly RealServer[] = [
  { title: 'everything over stdio', ...overStdio, tools: plain },
  { title: 'everything over HTTP', ...overHttp, tools: plain },
  {
    title: 'everything over stdio, asking for what nobody serves',
    ...overStdio,
    options: { capabilities },
    tools: { ...plain, ...unserved },
  },
  {
    title: 'everything over HTTP, asking for what is served',
    ...overHttp,
    options: { capabilities, handlers },
    tools: { ...plain, ...served },
  },
];
