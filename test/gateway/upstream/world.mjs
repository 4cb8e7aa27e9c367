import { createRequestStateCodec } from '@modelcontextprotocol/server';
import { Changes } from './changes.mjs';
import { openSkills } from './skills.mjs';
import { Tasks } from './tasks.mjs';

/** What outlives a request: in the modern era each HTTP request has a server of its own. */
export async function openWorld(era, stateFile) {
  const servers = new Set();
  const world = {
    era,
    servers,
    /** Set over modern HTTP, where the endpoint tells of changes. */
    notify: undefined,
    skills: await openSkills(),
    states: createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) }),
    async announce(method, params) {
      if (world.notify !== undefined) return tellEndpoint(world.notify, method, params);
      await Promise.allSettled(
        [...servers].map((server) => server.notification({ method, ...(params && { params }) })),
      );
    },
  };
  world.changes = new Changes(stateFile, (what) => {
    if (what === 'watched')
      return world.announce('notifications/resources/updated', { uri: 'test://watched-resource' });
    return world.announce(`notifications/${what}/list_changed`);
  });
  world.tasks = new Tasks(world);
  return world;
}

function tellEndpoint(notify, method, params) {
  if (method === 'notifications/tools/list_changed') notify.toolsChanged();
  else if (method === 'notifications/prompts/list_changed') notify.promptsChanged();
  else if (method === 'notifications/resources/updated') notify.resourceUpdated(params.uri);
}
