// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pause } from '../../base/pause.js';
import { MODERN_VERSIONS } from '../../wire/eras/envelope.js';
import { LEGACY_VERSIONS } from '../../wire/eras/legacy-versions.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { BatchOutlet, wantsResponse } from '../batch-outlet.js';
import type { Endpoint } from '../endpoint.js';
import { type Incoming, type IncomingRequest, toIncoming } from '../incoming.js';
import { toAgreement } from '../legacy/agreement.js';
import { LegacyClient } from '../legacy/legacy-client.js';
import { takeLegacyMessage, toInitializeResult } from '../legacy/legacy-messages.js';
import { SessionRecord } from '../legacy/session-record.js';
import { isModern, readEnvelope, unsupported } from '../modern/envelope.js';
import { ModernClients } from '../modern/modern-client.js';
import { type ModernExchange, statusOf, takeModernRequest } from '../modern/modern-messages.js';
import type { ModernServices } from '../modern/modern-request.js';
import { errorText, INVALID_REQUEST, resultText } from '../outgoing.js';
import { hasBatches } from '../revision/negotiate-revision.js';
import { EventStream } from './event-stream.js';
import { HttpOutlet } from './http-outlet.js';
import { refuse } from './http-serving.js';
import type { OpenStreams } from './open-streams.js';
import { compareHeaders } from './param-headers.js';
import type { Body, BodyReader } from './read-body.js';
import { SseWriter } from './sse-writer.js';
import type { HttpSession, HttpSessions } from './sessions.js';
