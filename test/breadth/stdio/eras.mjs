// Servers that know of 2026-07-28, and the responses by which they show it.
import { NEW } from './raw-server.mjs';

const offers = (supported) => ({
  on: {
    'server/discover': ({ id }, server) =>
      server.refuse(id, -32_022, 'Unsupported protocol version', supported && { supported, requested: NEW }),
  },
});

const discovers = (supportedVersions) => ({
  on: { 'server/discover': ({ id }, server) => server.discovered(id, supportedVersions) },
});

const refusesGreeting = {
  initialize: ({ id }, server) => server.refuse(id, -32_601, 'Method not found'),
};

export const eras = {
  new: { modern: true },
  // Speaks both eras until the client uses one, from then on only that one.
  both: {
    on: {
      'server/discover'({ id }, server) {
        server.isNew = true;
        server.discovered(id, [NEW, '2025-11-25']);
      },
      initialize(message, server) {
        if (server.isNew) server.refuse(message.id, -32_022, 'Unsupported protocol version', { supported: [NEW] });
        else server.usual(message);
      },
      'tools/list'(message, server) {
        if (server.isNew) server.state = 'ready';
        server.usual(message);
      },
    },
  },
  'new-and-knows-no-greeting': { modern: true, on: refusesGreeting },
  'offers-old-ones': offers(['2025-11-25', '2025-06-18']),
  'offers-an-unknown-and-an-old-one': offers(['2027-01-15', '2025-11-25']),
  'offers-unknown-ones': offers(['2027-01-15', '2028-02-16']),
  'offers-none': offers(undefined),
  'offers-nonsense': offers('everything'),
  'offers-new-once': {
    modern: true,
    on: {
      'server/discover'(message, server) {
        if (server.wasAsked) server.usual(message);
        else server.refuse(message.id, -32_022, 'Unsupported protocol version', { supported: [NEW] });
        server.wasAsked = true;
      },
    },
  },
  'offers-new-for-ever': {
    on: { ...offers([NEW]).on, initialize: offers([NEW]).on['server/discover'] },
  },
  'discovers-old-ones': discovers(['2025-11-25']),
  'discovers-unknown-ones': discovers(['2027-01-15']),
  'misses-a-capability': {
    on: {
      'server/discover': ({ id }, server) =>
        server.refuse(id, -32_021, 'Client must support sampling', { requiredCapabilities: { sampling: {} } }),
      ...refusesGreeting,
    },
  },
  'was-old-and-is-new': { modern: true },
};
