import { createRequestStateCodec } from '@modelcontextprotocol/server';
import { openSkills } from './skills.mjs';
import { Tasks } from './tasks.mjs';

/** What outlives a request: in the modern era each HTTP request has a server of its own. */
export async function openWorld(era) {
  const servers = new Set();
  const world = {
    era,
    servers,
    /** Set over modern HTTP, where the endpoint tells of changes. */
    notify: undefined,
    /** Each change takes one away and adds another, so that two changes never leave the list as it was. */
    changes: { tools: 0, prompts: 0 },
    watched: 0,
    skills: await openSkills(),
    states: createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) }),
    async announce(method, params) {
      if (world.notify !== undefined) return tellEndpoint(world.notify, method, params);
      await Promise.allSettled(
        [...servers].map((server) => server.notification({ method, ...(params && { params }) })),
      );
    },
  };
  world.tasks = new Tasks(world);
  return world;
}

function tellEndpoint(notify, method, params) {
  if (method === 'notifications/tools/list_changed') notify.toolsChanged();
  else if (method === 'notifications/prompts/list_changed') notify.promptsChanged();
  else if (method === 'notifications/resources/updated') notify.resourceUpdated(params.uri);
}
