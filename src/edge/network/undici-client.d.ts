// The one part of undici that is used: its main module loads everything else as well, in 70 ms.
declare module 'undici/lib/dispatcher/client.js' {
  import type { Client } from 'undici';

  const client: typeof Client;
  export default client;
}
