export {
  type GatewayHandler,
  type GatewayHttpOptions,
  type GatewayStreams,
  type ListenGatewayOptions,
  type ListeningGateway,
  openGateway,
  type OpenGateway,
  type OpenGatewayOptions,
} from './serve/open-gateway.js';
export type { HandledRequest } from '../serving/http/http-serving.js';
export type { StdioServing } from '../serving/stdio/serve-over-stdio.js';
