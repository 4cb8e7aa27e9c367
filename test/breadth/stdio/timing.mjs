// Servers that respond late, or send messages before they receive any.
import { setTimeout as sleep } from 'node:timers/promises';
import { NEW } from './raw-server.mjs';

const speaksUnasked = (server) => {
  server.notify('notifications/message', { level: 'info', data: 'starting' });
  server.notify('notifications/tools/list_changed');
};

/** Sends a request of its own on `initialize`, and responds only after the response to that request. */
const asksFirst = (method) => ({
  revision: '2025-06-18',
  on: {
    initialize(message, server) {
      server.greeting = message;
      server.ask('own-1', method, {});
    },
    answer: ({ id }, server) => id === 'own-1' && server.usual(server.greeting),
  },
});

export const timing = {
  'starts-slowly': { begin: () => sleep(2_000) },
  // Stands for a start that takes longer than the 5 s of silence: the test's clock lets those run out earlier.
  'starts-very-slowly': { begin: () => sleep(1_000) },
  'starts-very-slowly-and-is-new': { modern: true, begin: () => sleep(1_000) },
  'answers-late-and-is-new': {
    modern: true,
    on: {
      'server/discover': (message, server) => void (server.question = message),
      initialize(message, server) {
        server.usual(server.question);
        server.usual(message);
      },
    },
  },
  'refuses-before-it-answers-and-is-new': {
    modern: true,
    on: {
      'server/discover': (message, server) => void (server.question = message),
      initialize(message, server) {
        server.usual(message);
        setTimeout(() => server.discovered(server.question.id, [NEW]), 50);
      },
    },
  },
  'refuses-late': {
    on: {
      'server/discover': (message, server) => void (server.question = message),
      initialize(message, server) {
        server.usual(server.question);
        setTimeout(() => server.usual(message), 50);
      },
    },
  },
  'speaks-before-it-is-greeted': { begin: speaksUnasked },
  'logs-during-the-handshake': {
    on: {
      'server/discover'(message, server) {
        speaksUnasked(server);
        server.usual(message);
      },
      initialize(message, server) {
        speaksUnasked(server);
        server.usual(message);
        speaksUnasked(server);
      },
    },
  },
  'pings-before-it-answers': asksFirst('ping'),
  'asks-for-roots-before-it-answers': asksFirst('roots/list'),
  'pings-before-it-is-asked': {
    begin: (server) => server.ask('own-1', 'ping', {}),
    on: {
      'server/discover': (message, server) => void (server.question = message),
      answer: ({ id }, server) => id === 'own-1' && server.usual(server.question),
    },
  },
};
