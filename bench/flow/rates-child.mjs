// Plays the scenarios of plugboard/testing and the recorded session in one process. Argument: a JSON of { inside,
// recording }. Writes JSON to fd 3: for each scenario whether it was asked about as written, and the questions of the session.
import { mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const { inside, recording } = JSON.parse(process.argv[2]);
const load = (file) => import(pathToFileURL(join(inside, file)).href);
const { Host } = await load('index.js');
const { fakeServer, flowScenarios, flowServer } = await load('testing/index.js');

const scenarios = [];
for (const scenario of flowScenarios) scenarios.push(await play(scenario));
writeSync(3, JSON.stringify({ scenarios, session: await replay() }));
process.exit(0);

async function play({ name, asks, servers, files = {}, allow, steps }) {
  const cwd = join(process.env.HOME, 'scenario');
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(join(cwd, '.git'), { recursive: true });
  for (const [path, text] of Object.entries(files)) write(join(cwd, path), text);
  write(
    join(process.env.HOME, '.config/plugboard/config.json'),
    JSON.stringify({ settings: allow ? { flow: { allow } } : {} }),
  );
  const [own, brought] = [false, true].map((is) =>
    Object.keys(servers).filter((one) => (servers[one].isProject === true) === is),
  );
  const serve = fileURLToPath(new URL('serve.mjs', import.meta.url));
  const entries = brought.map((one) => [one, { command: process.execPath, args: [serve, inside, name, one] }]);
  if (entries.length > 0) write(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const embedded = new Map(own.map((one) => [one, flowServer(servers[one])]));
  const { host, asked } = await open({ cwd, embedded, approveProject: true });
  const followed = host.followConversation('scenario');
  let path;
  const take = async (list) => {
    for (const step of list) {
      host.forModel('anthropic', { conversation: 'scenario' });
      if (step.kind === 'user') followed.typed(step.text);
      if (step.kind === 'agent') await take(step.steps);
      const calls = step.kind === 'calls' ? step.calls : step.kind === 'typed' ? [step.call] : [];
      for (const one of calls) {
        const isTyped = step.kind === 'typed';
        const request = { ...toRequest(one, { cwd, path }), isTyped, conversation: 'scenario' };
        const { saved, error } = await host.call(request);
        if (error && error.code !== 'denied') throw new Error(`${name}: ${error.message}`);
        path = saved[0]?.path ?? path;
      }
    }
  };
  await take(steps);
  await host.close();
  const wanted = JSON.stringify(steps).split('"asks":').length - 1;
  return { name, asks, isAsWritten: asked.length === wanted };
}

function toRequest(one, { cwd, path }) {
  if (one.kind === 'resource') return { name: 'ReadMcpResource', input: { server: one.server, uri: one.uri } };
  if (one.kind === 'file') return { name: 'Read', input: { path: join(cwd, one.path) } };
  if (one.kind === 'saved') return { name: 'Read', input: { path, offset: 8_600, limit: 200 } };
  return { name: `mcp__${one.server}__${one.tool}`, input: one.input };
}

async function replay() {
  const lines = readFileSync(recording, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const embedded = new Map(
    lines
      .filter(({ tools }) => tools)
      .map(({ server, tools }) => {
        const results = lines.filter((line) => line.input && line.server === server).values();
        const run = () => {
          const { content, isError = false } = results.next().value;
          return { content, isError };
        };
        return [
          server,
          fakeServer(Object.fromEntries(tools.map(({ name, annotations = {} }) => [name, { annotations, run }]))),
        ];
      }),
  );
  const { host, asked } = await open({
    cwd: process.env.HOME,
    embedded,
    answer: { kind: 'allow', remember: 'session' },
  });
  const followed = host.followConversation('session');
  let calls = 0;
  for (const { user, server, tool, input } of lines) {
    if (user) followed.typed(user);
    if (!input) continue;
    host.forModel('anthropic', { conversation: 'session' });
    await host.call({ name: `mcp__${server}__${tool}`, input, conversation: 'session' });
    calls++;
  }
  await host.close();
  return { calls, questions: asked.length };
}

async function open({ answer = { kind: 'deny' }, embedded, ...more }) {
  const asked = [];
  const ask = async (question) => {
    if (!question.flow) return { kind: 'allow', remember: 'session' };
    asked.push(question);
    return answer;
  };
  const mcpServers = Object.fromEntries([...embedded.keys()].map((name) => [name, { type: 'in-process', name }]));
  const permissions = { mode: 'bypass' };
  const host = await Host.open({
    env: process.env,
    embedded,
    mcpServers,
    permissions,
    ports: { ask },
    watch: false,
    ...more,
  });
  await host.settled();
  return { host, asked };
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
