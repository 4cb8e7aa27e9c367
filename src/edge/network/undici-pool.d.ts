// The one part of undici that is used. Its front door loads everything else as well, for 70 ms.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const pool: typeof Pool;
  export default pool;
}
