import { refuse, sendJson, sendPage, type HttpHabit, NEW, type Refusal, type Visit } from './raw-http-server.js';

/** Answers `server/discover`. */
function asked(answer: (visit: Visit) => void): HttpHabit {
  return {
    take(visit) {
      if (visit.message['method'] !== 'server/discover') return false;
      answer(visit);
      return true;
    },
  };
}

function askedPlainly(status: number): HttpHabit {
  return asked(({ response }) => void response.writeHead(status).end());
}

function unsupported(data?: object): Refusal {
  return { status: 400, code: -32_022, message: 'Unsupported protocol version', ...(data && { data }) };
}

/** Answers every POST. */
function posted(answer: (visit: Visit) => void): HttpHabit {
  return {
    take(visit) {
      if (visit.verb !== 'POST') return false;
      answer(visit);
      return true;
    },
  };
}

export const httpRefusals = {
  'rpc-error': asked(({ message, response }) =>
    sendJson(response, { jsonrpc: '2.0', id: message['id'], error: { code: -32_601, message: 'Method not found' } }),
  ),
  'rpc-error-404': asked((visit) => refuse(visit, { status: 404, code: -32_601, message: 'Method not found' })),
  'rpc-error-200-null': asked((visit) => refuse(visit, { status: 200, code: -32_602, message: 'Invalid params' })),
  'rpc-error-500': asked((visit) => refuse(visit, { status: 500, code: -32_603, message: 'Internal error' })),
  'status-400': askedPlainly(400),
  'status-404': askedPlainly(404),
  'status-405': askedPlainly(405),
  'status-406': askedPlainly(406),
  'status-415': askedPlainly(415),
  'status-422': askedPlainly(422),
  'status-500': askedPlainly(500),
  'status-501': askedPlainly(501),
  'status-502': askedPlainly(502),
  'status-202': askedPlainly(202),
  'status-204': askedPlainly(204),
  'status-200-empty': askedPlainly(200),
  'page-200': asked(({ response }) => sendPage(response, 200)),
  'page-404': asked(({ response }) => sendPage(response, 404)),
  'json-that-is-no-answer': asked(({ response }) => sendJson(response, { detail: 'Not Found' })),
  'validation-422': asked(({ response }) => sendJson(response, { detail: [{ msg: 'field required' }] }, 422)),
  'hangs-up': asked(({ response }) => void response.socket?.destroy()),
  'never-answers': asked(() => {}),
  'status-401': asked(({ response }) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="mcp"' }).end();
  }),
  'status-403': askedPlainly(403),
  'offers-old-ones': asked((visit) => refuse(visit, unsupported({ supported: ['2025-11-25', '2025-06-18'] }))),
  'offers-unknown-ones': asked((visit) => refuse(visit, unsupported({ supported: ['2027-01-15'] }))),
  'offers-none': asked((visit) => refuse(visit, unsupported())),
  'offers-new-once': {
    isModern: true,
    take(visit) {
      const isFirst = visit.server.asked.length === 1;
      if (isFirst) refuse(visit, unsupported({ supported: [NEW] }));
      return isFirst;
    },
  },
  'calls-refused-without-id': {
    take(visit) {
      const isCall = visit.message['method'] === 'tools/call';
      if (isCall) refuse(visit, { status: 200, code: -32_602, message: 'Tool echo is asleep' });
      return isCall;
    },
  },
  'calls-refused-with-400': {
    take(visit) {
      const isCall = visit.message['method'] === 'tools/call';
      if (isCall) refuse(visit, { status: 400, code: -32_602, message: 'Tool echo is asleep' });
      return isCall;
    },
  },
  'calls-answered-with-202': {
    take({ message, response }) {
      const isCall = message['method'] === 'tools/call';
      if (isCall) response.writeHead(202).end();
      return isCall;
    },
  },
  'refuses-all-with-500': posted(({ response }) => void response.writeHead(500).end()),
  'refuses-all-with-404': posted(({ response }) => void response.writeHead(404).end()),
  'accepts-all-with-202': posted(({ response }) => void response.writeHead(202).end()),
} satisfies Record<string, HttpHabit>;
