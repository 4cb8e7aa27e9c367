import type { FlowScenario } from './flow-scenario.js';
import { modelCalls, modelCallsAll, modelReads, modelSays, toolCall, userSays } from './flow-steps.js';
import {
  calendarServer,
  chatServer,
  customersServer,
  databaseServer,
  filesServer,
  mailServer,
  notesServer,
  trackerServer,
  webServer,
} from './usual-servers.js';

const GUIDE = 'https://docs.router.example/en/stable/guides/migration/from-version-3-to-version-4.html';
const RESULTS = `1. Migration from version 3 to version 4
${GUIDE}
What changed in the matcher, and how to write your routes now.
2. Router 4.0 released
https://blog.router.example/posts/2026/10/12/router-4-0-released-with-a-new-matcher?utm_source=search
3. Changes of 4.0.1
https://docs.router.example/en/stable/changes/4.0.1.html`;

const ISSUE = `Login fails after the session has expired
Labels: bug, login. Assigned to mreyes. Milestone 7.2
Steps: see packages/server/src/controllers/authentication/session-manager.ts and
packages/server/test/controllers/authentication/session-manager.test.ts, since 9f2c1be07d44a1f6.
Trace id 3f1c9a52-7d1e-4b8e-9a71-0b4c2b6f9d10, seen on 2026-11-02T09:14:55Z.`;

const LOG = `commit 4c1f9e7a2b3d5f60718293a4b5c6d7e8f9012345
Date: 2026-11-03
    Keep the session when its cookie is renewed
commit 9f2c1be07d44a1f6e8d7c6b5a4938271605f4e3d
Date: 2026-10-30
    Read the cookie once`;

const UNDICI = 'undici\nAn HTTP client for Node.js\nVersion 7.30.2, published 6 days ago, MIT, 0 dependencies';
const ZOD = 'zod\nSchemas for TypeScript\nVersion 4.6.7, published 12 days ago, MIT, 0 dependencies';
const WS = 'ws\nA WebSocket client and server\nVersion 8.22.2, published 3 weeks ago, MIT, 0 dependencies';

/** Names go from one server to another, as in every day's work: addresses, paths, ids, people. */
export const everydayNames: readonly FlowScenario[] = [
  {
    name: 'open-a-result',
    about: 'A search gives addresses, and the model opens two of them.',
    asks: false,
    servers: {
      web: webServer({ 'search: router 4 migration': RESULTS, [GUIDE]: 'Routes are objects now.' }),
      browser: webServer({ [GUIDE]: 'Routes are objects now.' }),
    },
    steps: [
      userSays('How do I migrate to router 4?'),
      modelCalls('web.search', { query: 'router 4 migration' }),
      modelCallsAll(
        toolCall('web.fetch', { url: GUIDE }),
        toolCall('browser.navigate', { url: GUIDE }),
        toolCall('browser.navigate', {
          url: 'https://blog.router.example/posts/2026/10/12/router-4-0-released-with-a-new-matcher?utm_source=search',
        }),
      ),
      modelSays('Make objects of your routes.'),
    ],
  },
  {
    name: 'address-of-a-note',
    about: 'A note has a long address, which the model opens after it has searched the web.',
    asks: false,
    servers: {
      web: webServer({ 'search: router': RESULTS }),
      notes: notesServer({
        links: 'Router: https://internal-wiki.company.example/spaces/PLATFORM/pages/88213377/Routing+in+the+gateway',
      }),
    },
    steps: [
      userSays('Search for "router", then open the link in my note'),
      modelCalls('web.search', { query: 'router' }),
      modelCalls('notes.read_note', { name: 'links' }),
      modelCalls('web.fetch', {
        url: 'https://internal-wiki.company.example/spaces/PLATFORM/pages/88213377/Routing+in+the+gateway',
      }),
      modelSays('That page is empty.'),
    ],
  },
  {
    name: 'paths-of-an-issue',
    about: 'An issue names files, which are read with another server, and the answer names them again.',
    asks: false,
    servers: {
      tracker: trackerServer({ 'shop/web#318': ISSUE }),
      files: filesServer({
        'packages/server/src/controllers/authentication/session-manager.ts': 'export class SessionManager {}',
      }),
      chat: chatServer(),
    },
    steps: [
      userSays('Look into shop/web#318'),
      modelCalls('tracker.get_issue', { repo: 'shop/web', number: 318 }),
      modelCalls('files.read_text_file', { path: 'packages/server/src/controllers/authentication/session-manager.ts' }),
      modelCalls('files.edit_file', {
        path: 'packages/server/src/controllers/authentication/session-manager.ts',
        edits: [
          { oldText: 'export class SessionManager {}', newText: 'export class SessionManager {\n  renew() {}\n}' },
        ],
      }),
      modelCalls('chat.post_message', {
        channel: 'dev',
        text: 'Working on shop/web#318 in packages/server/src/controllers/authentication/session-manager.ts, seen with 3f1c9a52-7d1e-4b8e-9a71-0b4c2b6f9d10 on 2026-11-02T09:14:55Z',
      }),
      modelSays('I have added a method.'),
    ],
  },
  {
    name: 'commits-in-a-comment',
    about: 'The model names two commits of a repository in a comment of an issue.',
    asks: false,
    servers: {
      tracker: trackerServer({ 'shop/web#318': ISSUE }),
      git: {
        tools: {
          log: {
            description: 'The last commits',
            annotations: { readOnlyHint: true, openWorldHint: false },
            run: () => LOG,
          },
        },
      },
    },
    steps: [
      userSays('Say in shop/web#318 which commits fixed it'),
      modelCalls('tracker.get_issue', { repo: 'shop/web', number: 318 }),
      modelCalls('git.log'),
      modelCalls('tracker.add_comment', {
        repo: 'shop/web',
        number: 318,
        body: 'Fixed by 4c1f9e7a2b3d5f60718293a4b5c6d7e8f9012345 and 9f2c1be07d44a1f6e8d7c6b5a4938271605f4e3d.',
      }),
      modelSays('Done.'),
    ],
  },
  {
    name: 'mail-to-a-customer',
    about: 'The model looks a customer up and writes her a mail.',
    asks: false,
    servers: {
      mail: mailServer({ m1: 'From: Amara Okafor\nSubject: Delivery\n\nWhen will the pallets come?' }),
      crm: customersServer({
        Okafor: 'Amara Okafor, Lagos Freight, amara.okafor@lagosfreight.example, customer since 2019, order 55-2041',
      }),
    },
    steps: [
      userSays('Answer the mail about the delivery: on Thursday'),
      modelCalls('mail.list_messages'),
      modelCalls('mail.read_message', { id: 'm1' }),
      modelCalls('crm.find_customers', { query: 'Okafor' }),
      modelCalls('mail.send_message', {
        to: 'Amara Okafor <amara.okafor@lagosfreight.example>',
        subject: 'Re: Delivery',
        body: 'Dear Amara,\n\nyour pallets will arrive on Thursday.\n\nKind regards',
      }),
      modelSays('She knows.'),
    ],
  },
  {
    name: 'dates-for-a-calendar',
    about: 'A page has the dates of a conference, and the model puts them into a calendar.',
    asks: false,
    servers: {
      web: webServer({
        'https://conf.example/':
          'PlugConf 2027 takes place in Porto from 12 May 2027 to 14 May 2027. Doors open at 8:30.',
      }),
      calendar: calendarServer({}),
    },
    steps: [
      userSays('Put https://conf.example/ into my calendar'),
      modelCalls('web.fetch', { url: 'https://conf.example/' }),
      modelCalls('calendar.create_event', {
        title: 'PlugConf 2027, Porto',
        start: '2027-05-12T08:30',
        end: '2027-05-14T18:00',
        url: 'https://conf.example/',
      }),
      modelSays('It is there.'),
    ],
  },
  {
    name: 'versions-of-packages',
    about: 'The model looks up the versions of three packages and writes them into a file.',
    asks: false,
    servers: {
      web: webServer({
        'https://packages.example/undici': UNDICI,
        'https://packages.example/zod': ZOD,
        'https://packages.example/ws': WS,
      }),
      files: filesServer({
        'package.json':
          '{\n  "name": "shop",\n  "dependencies": {\n    "undici": "7.1.0",\n    "ws": "8.20.0",\n    "zod": "4.0.0"\n  }\n}',
      }),
    },
    steps: [
      userSays('Bring the dependencies up to date'),
      modelCalls('files.read_text_file', { path: 'package.json' }),
      ...['undici', 'ws', 'zod'].map((name) => modelCalls('web.fetch', { url: `https://packages.example/${name}` })),
      modelCalls('files.edit_file', {
        path: 'package.json',
        edits: [
          {
            oldText: '    "undici": "7.1.0",\n    "ws": "8.20.0",\n    "zod": "4.0.0"',
            newText: '    "undici": "7.30.2",\n    "ws": "8.22.2",\n    "zod": "4.6.7"',
          },
        ],
      }),
      modelSays('Three are newer now.'),
    ],
  },
  {
    name: 'columns-in-a-statement',
    about: 'A note describes a table, and the model makes a chart with the names of its columns.',
    asks: false,
    servers: {
      web: webServer({ 'search: monthly revenue chart': 'Use bars for months.' }),
      notes: notesServer({
        schema:
          'orders: order_id bigint, customer_id bigint, created_at timestamptz, total_cents integer, currency char(3)',
      }),
      charts: {
        tools: { create_chart: { description: 'Draws a chart', run: () => 'https://charts.example/c/8812' } },
      },
    },
    steps: [
      userSays('Draw the revenue of each month; the note "schema" has the table'),
      modelCalls('web.search', { query: 'monthly revenue chart' }),
      modelCalls('notes.read_note', { name: 'schema' }),
      modelCalls('charts.create_chart', {
        kind: 'bar',
        sql: "select date_trunc('month', created_at) as month, sum(total_cents) / 100.0 as revenue from orders where currency = 'EUR' group by 1 order by 1",
      }),
      modelSays('https://charts.example/c/8812'),
    ],
  },
  {
    name: 'files-that-changed',
    about: 'The model names the few files of a change in a pull request.',
    asks: false,
    servers: {
      tracker: trackerServer({ 'shop/web#318': ISSUE }),
      git: {
        tools: {
          status: {
            description: 'What has changed',
            annotations: { readOnlyHint: true, openWorldHint: false },
            run: () =>
              ' M src/cart/cart-page.tsx\n M src/cart/use-cart.ts\n M src/cart/use-cart.test.ts\n?? src/cart/empty.tsx',
          },
        },
      },
    },
    steps: [
      userSays('Comment on shop/web#318 which files I have changed'),
      modelCalls('tracker.get_issue', { repo: 'shop/web', number: 318 }),
      modelCalls('git.status'),
      modelCalls('tracker.add_comment', {
        repo: 'shop/web',
        number: 318,
        body: 'Changed so far:\n- `src/cart/cart-page.tsx`\n- `src/cart/use-cart.ts`\n- `src/cart/use-cart.test.ts`\n- new: `src/cart/empty.tsx`',
      }),
      modelSays('Done.'),
    ],
  },
  {
    name: 'ids-from-a-database',
    about: 'The model looks ids up in a database and asks a server on the web for one of them.',
    asks: false,
    servers: {
      db: databaseServer({
        orders: 'id | status\n01JC8Q2M7ZC4V1T0N9YF3KX5RB | open\n01JC8Q2M7ZC4V1T0N9YF3KX5RC | open\n(2 rows)',
      }),
      shipping: webServer({}),
    },
    steps: [
      userSays('Where are the open orders?'),
      modelCalls('shipping.search', { query: 'carriers' }),
      modelCalls('db.query', { sql: "select id, status from orders where status = 'open'" }),
      modelCalls('shipping.fetch', {
        url: 'https://api.shipping.example/v2/parcels?reference=01JC8Q2M7ZC4V1T0N9YF3KX5RB',
      }),
      modelCalls('shipping.fetch', {
        url: 'https://api.shipping.example/v2/parcels?reference=01JC8Q2M7ZC4V1T0N9YF3KX5RC',
      }),
      modelSays('On their way.'),
    ],
  },
  {
    name: 'name-of-a-file-that-was-read',
    about: 'The model reads a file of the project with the tool of the host and searches the web for what it uses.',
    asks: false,
    servers: { web: webServer({ 'search: left-pad alternatives': 'String.prototype.padStart does it.' }) },
    files: {
      'src/pad.ts': "import leftPad from 'left-pad';\n\nexport const pad = (text: string) => leftPad(text, 10);\n",
    },
    steps: [
      userSays('What can I use in place of left-pad in src/pad.ts?'),
      modelCalls('web.search', { query: 'left-pad alternatives' }),
      modelReads('src/pad.ts'),
      modelCalls('web.search', { query: 'left-pad vs padStart performance' }),
      modelSays('padStart of strings.'),
    ],
  },
];
